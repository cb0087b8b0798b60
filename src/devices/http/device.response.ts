import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { Id, Time, OptionalTime } from '../../common/http/responses/fields';
import type { EveryField } from '../../common/every-field';
import { CONNECTION_STATES, type ConnectionState } from '../states/connection-state';
import { OS_VERSION_SOURCES, type OsVersionSource } from '../store/device.schema';
import type { DeviceView } from '../devices.service';
import { PHONE_PROBLEM_CODES, type PhoneProblemCode } from '../problems/phone-problems';
import { SimInfoEntryRequest } from './device.request';
import {
  AppVersionInfo,
  BatteryInfo,
  DeviceUptimeInfo,
  MemoryInfo,
  NetworkInfo,
  PowerInfo,
  StorageInfo,
  SystemInfo,
} from '../store/reported-groups';

/** The `model` that virtual phones register; must match `phone/handset.ts`. */
const VIRTUAL_MODEL = 'Virtual phone';

@ApiSchema({ name: 'SimResponse' })
class SimInfoEntryResponse extends OmitType(SimInfoEntryRequest, ['subscriptionId']) {
  @ApiProperty({
    description: 'Android subscription id; pass it as simSubscriptionId to choose this SIM',
    example: 1,
  })
  subscriptionId!: number;
}

class SimInfo {
  @Time('When the SIMs were last reported')
  lastUpdated!: Date;

  @ApiProperty({ type: [SimInfoEntryResponse], description: 'The SIMs of the phone' })
  sims!: SimInfoEntryResponse[];
}

class PushError {
  @ApiProperty({ description: 'Error code of a send from the device', example: 'PUSH_TOKEN_HELD' })
  code!: string;

  @ApiProperty({ description: 'What is wrong and how to fix it' })
  message!: string;
}

class ConnectionResponse {
  @ApiProperty({
    enum: CONNECTION_STATES,
    enumName: 'ConnectionState',
    description:
      'online; unresponsive: the phone can be reached, but does not answer; offline: it cannot be reached',
    example: 'online',
  })
  state!: ConnectionState;

  @Time(
    'When the phone came online, or what ended that: an unanswered message, a closed stream, two missed heartbeats, ' +
      'a removed push token',
  )
  since!: Date;
}

class HealthReason {
  @ApiProperty({
    enum: PHONE_PROBLEM_CODES,
    enumName: 'PhoneProblemCode',
    description: 'What is wrong, for programs',
    example: 'phone_offline',
  })
  code!: PhoneProblemCode;

  @ApiProperty({
    description: 'What is wrong, for people; may change',
    example: 'Front desk cannot be reached.',
  })
  text!: string;
}

class PhoneHealthResponse {
  @ApiProperty({
    enum: ['ok', 'warning', 'error'],
    enumName: 'PhoneHealthState',
    description: 'ok; warning: it works, but not as it should; error: something does not work',
    example: 'ok',
  })
  state!: 'ok' | 'warning' | 'error';

  @ApiProperty({
    type: [HealthReason],
    description: 'Why it is not ok, errors first; with remedies in gateway/problems',
  })
  reasons!: HealthReason[];
}

/** A device without its secret and internal fields. */
export class DeviceResponse {
  @Id('Device id; pass it as deviceId when sending')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiProperty({
    description: 'Whether the device may send and receive SMS; a send from a disabled device fails',
  })
  enabled!: boolean;

  @ApiProperty({ description: 'Whether sends without a deviceId go out from this device' })
  isDefault!: boolean;

  @ApiProperty({ description: 'Device brand', example: 'google' })
  brand!: string;

  @ApiProperty({ description: 'Device manufacturer', example: 'Google' })
  manufacturer!: string;

  @ApiProperty({ description: 'Device model', example: 'Pixel 8' })
  model!: string;

  @ApiPropertyOptional({ description: "Owner's label for the device", example: 'Office phone' })
  name?: string;

  @ApiProperty({ description: 'Android build id', example: 'AP2A.240805.005' })
  buildId!: string;

  @ApiProperty({ description: 'Operating system name', example: 'Android' })
  os!: string;

  @ApiProperty({ description: 'Android release', example: '14' })
  osVersion!: string;

  @ApiPropertyOptional({ description: 'Android SDK level', example: 34 })
  osApiLevel?: number;

  @ApiPropertyOptional({
    enum: OS_VERSION_SOURCES,
    description: 'How osVersion was determined',
    example: 'reported',
  })
  osVersionSource?: OsVersionSource;

  @ApiPropertyOptional({
    description: 'Android build fingerprint',
    example: 'google/shiba/shiba:14/AP2A.240805.005/12025142:user/release-keys',
  })
  osBuildFingerprint?: string;

  @ApiPropertyOptional({ description: 'App version', example: '2.7.1' })
  appVersionName?: string;

  @ApiPropertyOptional({ description: 'App version code', example: 41 })
  appVersionCode?: number;

  @ApiProperty({ description: 'Messages this device has sent', example: 120 })
  sentSMSCount!: number;

  @ApiProperty({ description: 'Messages this device has received', example: 14 })
  receivedSMSCount!: number;

  @ApiProperty({ description: 'Whether the device reports heartbeats' })
  heartbeatEnabled!: boolean;

  @ApiProperty({ description: 'Minutes between heartbeats', example: 30 })
  heartbeatIntervalMinutes!: number;

  @ApiProperty({
    description:
      'Whether incoming messages are forwarded to the service; if not, they appear neither in the history nor in webhooks',
  })
  receiveSMSEnabled!: boolean;

  @ApiProperty({ description: 'Seconds the device waits between messages in a batch', example: 5 })
  smsSendDelaySeconds!: number;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'SMS parts a minute that the phone can send; null if it has no limit; 24 if absent',
    example: 24,
  })
  partsPerMinute?: number | null;

  @ApiPropertyOptional({
    description: 'Subscription id of the SIM for messages that name none, if the service chooses it',
    example: 1,
  })
  defaultSim?: number;

  @OptionalTime('Since when it takes no new messages; absent unless it is draining')
  drainingSince?: Date;

  @OptionalTime('Last heartbeat')
  lastHeartbeat?: Date;

  @OptionalTime('Last call of the phone, of any kind, to within 15 seconds')
  lastContactAt?: Date;

  @ApiProperty({ description: 'Whether the phone can be reached and answers' })
  connection!: ConnectionResponse;

  @ApiProperty({ description: 'Whether the phone and the SIMs in it work as they should' })
  health!: PhoneHealthResponse;

  @ApiProperty({
    description:
      'Whether it is a virtual phone, a program that sends nothing: it takes part in tests and demonstrations',
  })
  isVirtual!: boolean;

  @ApiPropertyOptional({ description: 'The battery, as last reported' })
  batteryInfo?: BatteryInfo;

  @ApiPropertyOptional({ description: 'The network, as last reported' })
  networkInfo?: NetworkInfo;

  @ApiPropertyOptional({ description: 'The companion app, as last reported' })
  appVersionInfo?: AppVersionInfo;

  @ApiPropertyOptional({ description: 'Time since boot, as last reported' })
  deviceUptimeInfo?: DeviceUptimeInfo;

  @ApiPropertyOptional({ description: 'Memory of the app, as last reported' })
  memoryInfo?: MemoryInfo;

  @ApiPropertyOptional({ description: 'Storage of the phone, as last reported' })
  storageInfo?: StorageInfo;

  @ApiPropertyOptional({ description: 'Time zone and locale, as last reported' })
  systemInfo?: SystemInfo;

  @ApiPropertyOptional({ description: 'Power saving, as last reported' })
  powerInfo?: PowerInfo;

  @ApiPropertyOptional({ description: 'The SIMs, as last reported' })
  simInfo?: SimInfo;

  @ApiPropertyOptional({ description: 'Why the device cannot receive pushes; absent if it can' })
  pushError?: PushError;

  @Time('When the device was registered')
  createdAt!: Date;

  @Time('When the device was last updated')
  updatedAt!: Date;
}

export function toDeviceResponse({
  device,
  totals,
  isDefault,
  pushError,
  connection,
  health,
}: DeviceView): EveryField<DeviceResponse> {
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
    partsPerMinute: device.partsPerMinute,
    defaultSim: device.defaultSim,
    drainingSince: device.drainingSince,
    lastHeartbeat: device.lastHeartbeat,
    lastContactAt: device.lastContactAt,
    connection: { state: connection.state, since: connection.since },
    health: { state: health.state, reasons: [...health.reasons] },
    isVirtual: device.model === VIRTUAL_MODEL,
    batteryInfo: device.batteryInfo,
    networkInfo: device.networkInfo,
    appVersionInfo: device.appVersionInfo,
    deviceUptimeInfo: device.deviceUptimeInfo,
    memoryInfo: device.memoryInfo,
    storageInfo: device.storageInfo,
    systemInfo: device.systemInfo,
    powerInfo: device.powerInfo,
    simInfo: device.simInfo,
    pushError: pushError && { code: pushError.code, message: pushError.message },
    createdAt: device.createdAt,
    updatedAt: device.updatedAt,
  };
}
