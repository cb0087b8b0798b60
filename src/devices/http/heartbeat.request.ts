import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, IsOptional, ValidateNested } from 'class-validator';
import { PhoneRequest } from '../../common/http/requests/request-shape';
import {
  AbsentWhen,
  OptionalBoolean,
  OptionalNumber,
  OptionalNumberZeroAsAbsent,
} from '../../common/http/requests/fields';
import type { HeartbeatAttributes } from '../store/device-attributes';
import { SimInfoRequest } from './device.request';
import { PhoneText, PhoneToken } from './phone-fields';

const isOutside = (maximum: number) => (value: unknown) =>
  typeof value === 'number' && (value < 0 || value > maximum);

@PhoneRequest()
export class HeartbeatRequest implements HeartbeatAttributes {
  @PhoneToken('Firebase Cloud Messaging token of the app', 'cXk3b1pQ:APA91bH7zFq')
  fcmToken?: string;

  // Phones report values out of range when the battery level is unknown.
  @AbsentWhen(isOutside(100))
  @OptionalNumber('Charge in percent', 80)
  batteryPercentage?: number;

  @OptionalBoolean('Whether the battery is charging')
  isCharging?: boolean;

  @PhoneText('wifi, cellular or none', 'wifi')
  networkType?: string;

  @PhoneText('App version', '2.7.1')
  appVersionName?: string;

  @OptionalNumberZeroAsAbsent('App version code', 41)
  appVersionCode?: number;

  @PhoneText('Android release', '14')
  osVersion?: string;

  @OptionalNumberZeroAsAbsent('Android SDK level', 34)
  osApiLevel?: number;

  @OptionalNumberZeroAsAbsent('Milliseconds since boot', 86_400_000)
  deviceUptimeMillis?: number;

  @OptionalNumberZeroAsAbsent('Free bytes of memory', 104_857_600)
  memoryFreeBytes?: number;

  @OptionalNumberZeroAsAbsent('Allocated bytes of memory', 268_435_456)
  memoryTotalBytes?: number;

  @OptionalNumberZeroAsAbsent('Maximum bytes of memory for the app', 536_870_912)
  memoryMaxBytes?: number;

  @OptionalNumberZeroAsAbsent('Free bytes of storage', 32_212_254_720)
  storageAvailableBytes?: number;

  @OptionalNumberZeroAsAbsent('Total bytes of storage', 128_849_018_880)
  storageTotalBytes?: number;

  @PhoneText('Time zone of the phone', 'Europe/Berlin')
  timezone?: string;

  @PhoneText('Locale of the phone', 'de_DE')
  locale?: string;

  @OptionalBoolean('Whether incoming messages are forwarded')
  receiveSMSEnabled?: boolean;

  @AbsentWhen(isOutside(3_600))
  @OptionalNumber('Seconds the phone waits between messages, 0 to 3600', 5)
  smsSendDelaySeconds?: number;

  @OptionalBoolean('Whether the app is exempt from battery optimisation')
  isIgnoringBatteryOptimizations?: boolean;

  @OptionalBoolean('Whether the phone is in Doze')
  isDeviceIdleMode?: boolean;

  @OptionalBoolean('Whether the battery saver is on')
  isPowerSaveMode?: boolean;

  @ApiPropertyOptional({ description: 'The SIMs of the phone, and when they were collected' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SimInfoRequest)
  simInfo?: SimInfoRequest;
}
