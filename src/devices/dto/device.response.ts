import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, OptionalTime } from '../../common/http/responses/fields';
import { OS_VERSION_SOURCES, type OsVersionSource } from '../device.schema';
import { DeviceView } from '../device-views.service';

class BatteryInfo {
  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 100,
    description: 'Charge in percent',
    example: 80,
  })
  percentage?: number;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether the battery is charging' })
  isCharging?: boolean;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class NetworkInfo {
  @ApiPropertyOptional({ type: String, description: 'wifi, cellular or none', example: 'wifi' })
  networkType?: string;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class AppVersionInfo {
  @ApiPropertyOptional({ type: String, description: 'App version', example: '2.7.1' })
  versionName?: string;

  @ApiPropertyOptional({ type: Number, description: 'App version code', example: 41 })
  versionCode?: number;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class DeviceUptimeInfo {
  @ApiPropertyOptional({ type: Number, description: 'Milliseconds since boot', example: 86400000 })
  uptimeMillis?: number;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class MemoryInfo {
  @ApiPropertyOptional({ type: Number, description: 'Free bytes', example: 104857600 })
  freeBytes?: number;

  @ApiPropertyOptional({ type: Number, description: 'Allocated bytes', example: 268435456 })
  totalBytes?: number;

  @ApiPropertyOptional({ type: Number, description: 'Maximum bytes the app may use', example: 536870912 })
  maxBytes?: number;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class StorageInfo {
  @ApiPropertyOptional({ type: Number, description: 'Free bytes', example: 32212254720 })
  availableBytes?: number;

  @ApiPropertyOptional({ type: Number, description: 'Total bytes', example: 128849018880 })
  totalBytes?: number;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class SystemInfo {
  @ApiPropertyOptional({ type: String, description: 'Time zone of the phone', example: 'Europe/Berlin' })
  timezone?: string;

  @ApiPropertyOptional({ type: String, description: 'Locale of the phone', example: 'de_DE' })
  locale?: string;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class PowerInfo {
  @ApiPropertyOptional({
    type: Boolean,
    description: 'If false, Android may delay the app in the background',
  })
  isIgnoringBatteryOptimizations?: boolean;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether the phone was in Doze' })
  isDeviceIdleMode?: boolean;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether the battery saver was on' })
  isPowerSaveMode?: boolean;

  @OptionalTime('When this was last reported')
  lastUpdated?: Date;
}

class SimResponse {
  @ApiProperty({
    type: Number,
    description: 'Android subscription id; pass it as simSubscriptionId to choose this SIM',
    example: 1,
  })
  subscriptionId!: number;

  @ApiPropertyOptional({ type: String, description: 'ICCID of the SIM card', example: '8949020000000000000' })
  iccId?: string;

  @ApiPropertyOptional({ type: Number, description: 'Android card id of the SIM slot', example: 0 })
  cardId?: number;

  @ApiPropertyOptional({ type: String, description: 'Mobile network operator', example: 'Example Mobile' })
  carrierName?: string;

  @ApiPropertyOptional({ type: String, description: 'Label the user gave the SIM', example: 'Work' })
  displayName?: string;

  @ApiPropertyOptional({ type: Number, description: 'Physical slot, starting at 0', example: 0 })
  simSlotIndex?: number;

  @ApiPropertyOptional({ type: String, description: 'Mobile country code', example: '262' })
  mcc?: string;

  @ApiPropertyOptional({ type: String, description: 'Mobile network code', example: '02' })
  mnc?: string;

  @ApiPropertyOptional({ type: String, description: 'Two-letter country code of the SIM', example: 'de' })
  countryIso?: string;

  @ApiPropertyOptional({ type: String, description: 'PHYSICAL_SIM or ESIM', example: 'PHYSICAL_SIM' })
  subscriptionType?: string;
}

class SimInfo {
  @Time('When the SIMs were last reported')
  lastUpdated!: Date;

  @ApiProperty({ type: [SimResponse], description: 'The SIMs of the phone' })
  sims!: SimResponse[];
}

class PushError {
  @ApiProperty({
    type: String,
    description: 'Error code of a send from the device',
    example: 'PUSH_TOKEN_HELD',
  })
  code!: string;

  @ApiProperty({ type: String, description: 'What is wrong and how to fix it' })
  message!: string;
}

/** A device, without its push token and hardware serial. */
export class DeviceResponse {
  @Id('Device id; pass it as deviceId when sending')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiProperty({
    type: Boolean,
    description: 'Whether the device may send and receive SMS; a send from a disabled device fails',
  })
  enabled!: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether sends without a deviceId go out from this device' })
  isDefault!: boolean;

  @ApiProperty({ type: String, description: 'Device brand', example: 'google' })
  brand!: string;

  @ApiProperty({ type: String, description: 'Device manufacturer', example: 'Google' })
  manufacturer!: string;

  @ApiProperty({ type: String, description: 'Device model', example: 'Pixel 8' })
  model!: string;

  @ApiPropertyOptional({ type: String, description: "Owner's label for the device", example: 'Office phone' })
  name?: string;

  @ApiProperty({ type: String, description: 'Android build id', example: 'AP2A.240805.005' })
  buildId!: string;

  @ApiProperty({ type: String, description: 'Operating system name', example: 'Android' })
  os!: string;

  @ApiProperty({ type: String, description: 'Android release', example: '14' })
  osVersion!: string;

  @ApiPropertyOptional({ type: Number, description: 'Android SDK level', example: 34 })
  osApiLevel?: number;

  @ApiPropertyOptional({
    enum: OS_VERSION_SOURCES,
    description: 'How osVersion was determined',
    example: 'reported',
  })
  osVersionSource?: OsVersionSource;

  @ApiPropertyOptional({
    type: String,
    description: 'Android build fingerprint',
    example: 'google/shiba/shiba:14/AP2A.240805.005/12025142:user/release-keys',
  })
  osBuildFingerprint?: string;

  @ApiPropertyOptional({ type: String, description: 'App version', example: '2.7.1' })
  appVersionName?: string;

  @ApiPropertyOptional({ type: Number, description: 'App version code', example: 41 })
  appVersionCode?: number;

  @ApiProperty({ type: Number, description: 'Messages this device has sent', example: 120 })
  sentSMSCount!: number;

  @ApiProperty({ type: Number, description: 'Messages this device has received', example: 14 })
  receivedSMSCount!: number;

  @ApiProperty({ type: Boolean, description: 'Whether the device reports heartbeats' })
  heartbeatEnabled!: boolean;

  @ApiProperty({ type: Number, description: 'Minutes between heartbeats', example: 30 })
  heartbeatIntervalMinutes!: number;

  @ApiProperty({
    type: Boolean,
    description:
      'Whether incoming messages are forwarded to the service; if not, they appear neither in the history nor in webhooks',
  })
  receiveSMSEnabled!: boolean;

  @ApiProperty({
    type: Number,
    description: 'Seconds the device waits between messages in a batch',
    example: 5,
  })
  smsSendDelaySeconds!: number;

  @OptionalTime('Last heartbeat')
  lastHeartbeat?: Date;

  @ApiPropertyOptional({ type: BatteryInfo, description: 'The battery, as last reported' })
  batteryInfo?: BatteryInfo;

  @ApiPropertyOptional({ type: NetworkInfo, description: 'The network, as last reported' })
  networkInfo?: NetworkInfo;

  @ApiPropertyOptional({ type: AppVersionInfo, description: 'The companion app, as last reported' })
  appVersionInfo?: AppVersionInfo;

  @ApiPropertyOptional({ type: DeviceUptimeInfo, description: 'Time since boot, as last reported' })
  deviceUptimeInfo?: DeviceUptimeInfo;

  @ApiPropertyOptional({ type: MemoryInfo, description: 'Memory of the app, as last reported' })
  memoryInfo?: MemoryInfo;

  @ApiPropertyOptional({ type: StorageInfo, description: 'Storage of the phone, as last reported' })
  storageInfo?: StorageInfo;

  @ApiPropertyOptional({ type: SystemInfo, description: 'Time zone and locale, as last reported' })
  systemInfo?: SystemInfo;

  @ApiPropertyOptional({ type: PowerInfo, description: 'Power saving, as last reported' })
  powerInfo?: PowerInfo;

  @ApiPropertyOptional({ type: SimInfo, description: 'The SIMs, as last reported' })
  simInfo?: SimInfo;

  @ApiPropertyOptional({
    type: PushError,
    description: 'Why the device cannot receive pushes; absent if it can',
  })
  pushError?: PushError;

  @Time('When the device was registered')
  createdAt!: Date;

  @Time('When the device was last updated')
  updatedAt!: Date;
}

export function toDeviceResponse({ device, totals, isDefault, pushError }: DeviceView): DeviceResponse {
  return {
    _id: device._id.toHexString(),
    user: device.user.toHexString(),
    enabled: device.enabled,
    isDefault,
    brand: device.brand,
    manufacturer: device.manufacturer,
    model: device.model,
    name: device.name,
    buildId: device.buildId,
    os: device.os,
    osVersion: device.osVersion,
    osApiLevel: device.osApiLevel,
    osVersionSource: device.osVersionSource,
    osBuildFingerprint: device.osBuildFingerprint,
    appVersionName: device.appVersionName,
    appVersionCode: device.appVersionCode,
    sentSMSCount: totals.sent,
    receivedSMSCount: totals.received,
    heartbeatEnabled: device.heartbeatEnabled,
    heartbeatIntervalMinutes: device.heartbeatIntervalMinutes,
    receiveSMSEnabled: device.receiveSMSEnabled,
    smsSendDelaySeconds: device.smsSendDelaySeconds,
    lastHeartbeat: device.lastHeartbeat,
    batteryInfo: device.batteryInfo,
    networkInfo: device.networkInfo,
    appVersionInfo: device.appVersionInfo,
    deviceUptimeInfo: device.deviceUptimeInfo,
    memoryInfo: device.memoryInfo,
    storageInfo: device.storageInfo,
    systemInfo: device.systemInfo,
    powerInfo: device.powerInfo,
    simInfo: device.simInfo,
    ...(pushError && { pushError: { code: pushError.code, message: pushError.message } }),
    createdAt: device.createdAt,
    updatedAt: device.updatedAt,
  };
}
