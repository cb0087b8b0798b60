import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalTime } from '../../common/http/responses/fields';

/** A group of values from heartbeats, which is stored and returned whole. `HEARTBEAT_PATHS` names the values. */
export abstract class Reported {
  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

export class BatteryInfo extends Reported {
  @ApiPropertyOptional({ minimum: 0, maximum: 100, description: 'Charge in percent', example: 80 })
  percentage?: number;

  @ApiPropertyOptional({ description: 'Whether the battery is charging' })
  isCharging?: boolean;
}

export class NetworkInfo extends Reported {
  @ApiPropertyOptional({ description: 'wifi, cellular or none', example: 'wifi' })
  networkType?: string;
}

export class AppVersionInfo extends Reported {
  @ApiPropertyOptional({ description: 'App version', example: '2.7.1' })
  versionName?: string;

  @ApiPropertyOptional({ description: 'App version code', example: 41 })
  versionCode?: number;
}

export class DeviceUptimeInfo extends Reported {
  @ApiPropertyOptional({ description: 'Milliseconds since boot', example: 86400000 })
  uptimeMillis?: number;
}

export class MemoryInfo extends Reported {
  @ApiPropertyOptional({ description: 'Free bytes', example: 104857600 })
  freeBytes?: number;

  @ApiPropertyOptional({ description: 'Allocated bytes', example: 268435456 })
  totalBytes?: number;

  @ApiPropertyOptional({ description: 'Maximum bytes the app may use', example: 536870912 })
  maxBytes?: number;
}

export class StorageInfo extends Reported {
  @ApiPropertyOptional({ description: 'Free bytes', example: 32212254720 })
  availableBytes?: number;

  @ApiPropertyOptional({ description: 'Total bytes', example: 128849018880 })
  totalBytes?: number;
}

export class SystemInfo extends Reported {
  @ApiPropertyOptional({ description: 'Time zone of the phone', example: 'Europe/Berlin' })
  timezone?: string;

  @ApiPropertyOptional({ description: 'Locale of the phone', example: 'de_DE' })
  locale?: string;
}

export class PowerInfo extends Reported {
  @ApiPropertyOptional({ description: 'If false, Android may delay the app in the background' })
  isIgnoringBatteryOptimizations?: boolean;

  @ApiPropertyOptional({ description: 'Whether the phone was in Doze' })
  isDeviceIdleMode?: boolean;

  @ApiPropertyOptional({ description: 'Whether the battery saver was on' })
  isPowerSaveMode?: boolean;
}
