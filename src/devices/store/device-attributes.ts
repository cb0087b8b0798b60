import { plausibleTime, readPhoneTime } from '../../common/phone-time';
import type { Device, SimInfoEntry } from './device.schema';

/** The SIMs of a phone. */
export interface SimAttributes {
  /** When they were read: epoch milliseconds or ISO 8601. */
  readonly lastUpdated?: number | string;
  readonly sims: readonly SimInfoEntry[];
}

/** Fields of a device that are stored as the phone reports them. */
export type ReportedField =
  | 'fcmToken'
  | 'pushTransport'
  | 'supportsCancel'
  | 'usesOwnPush'
  | 'supportsEncryption'
  | 'enabled'
  | 'brand'
  | 'manufacturer'
  | 'model'
  | 'name'
  | 'buildId'
  | 'os'
  | 'osVersion'
  | 'osApiLevel'
  | 'osBuildFingerprint'
  | 'serial'
  | 'appVersionName'
  | 'appVersionCode'
  | 'partsPerMinute'
  | 'defaultSim';

/** Attributes a phone reports when it registers or updates its device. */
export interface DeviceAttributes extends Readonly<Partial<Pick<Device, ReportedField>>> {
  readonly simInfo?: SimAttributes;
}

/** What a phone reports in a heartbeat; `HEARTBEAT_PATHS` says where it is stored. */
export interface HeartbeatAttributes {
  readonly fcmToken?: string;
  readonly batteryPercentage?: number;
  readonly isCharging?: boolean;
  readonly networkType?: string;
  readonly appVersionName?: string;
  readonly appVersionCode?: number;
  readonly osVersion?: string;
  readonly osApiLevel?: number;
  readonly deviceUptimeMillis?: number;
  readonly memoryFreeBytes?: number;
  readonly memoryTotalBytes?: number;
  readonly memoryMaxBytes?: number;
  readonly storageAvailableBytes?: number;
  readonly storageTotalBytes?: number;
  readonly timezone?: string;
  readonly locale?: string;
  readonly receiveSMSEnabled?: boolean;
  readonly smsSendDelaySeconds?: number;
  readonly isIgnoringBatteryOptimizations?: boolean;
  readonly isDeviceIdleMode?: boolean;
  readonly isPowerSaveMode?: boolean;
  readonly simInfo?: SimAttributes;
}

/** Fields to write, by path; only those reported, so that missing values keep the stored ones. */
export type DeviceChanges = Record<string, unknown>;

function onlyPresent(fields: object): DeviceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function simChanges(attributes: SimAttributes | undefined, now: Date): DeviceChanges {
  if (!attributes) return {};
  const lastUpdated = plausibleTime(readPhoneTime(attributes.lastUpdated), now) ?? now;
  return { simInfo: { lastUpdated, sims: attributes.sims.map(onlyPresent) } };
}

export function changesFromAttributes(attributes: DeviceAttributes, now: Date): DeviceChanges {
  const { simInfo: _simInfo, ...plain } = attributes;
  return { ...onlyPresent(plain), ...derivedChanges(attributes, now) };
}

/** The changes that are derived from reported values. */
function derivedChanges(
  { osVersion, simInfo }: Pick<DeviceAttributes, 'osVersion' | 'simInfo'>,
  now: Date,
): DeviceChanges {
  return { ...(osVersion && { osVersionSource: 'reported' }), ...simChanges(simInfo, now) };
}

type Group = Exclude<Extract<keyof Device, `${string}Info`>, 'simInfo'>;

/** A value of a group, such as `batteryInfo.percentage`. */
type GroupPath = {
  [Name in Group]: `${Name}.${Exclude<keyof NonNullable<Device[Name]> & string, 'lastUpdated'>}`;
}[Group];

type PlainField = Exclude<keyof HeartbeatAttributes, 'simInfo'>;

const HEARTBEAT_PATHS = {
  fcmToken: ['fcmToken'],
  batteryPercentage: ['batteryInfo.percentage'],
  isCharging: ['batteryInfo.isCharging'],
  networkType: ['networkInfo.networkType'],
  appVersionName: ['appVersionName', 'appVersionInfo.versionName'],
  appVersionCode: ['appVersionCode', 'appVersionInfo.versionCode'],
  osVersion: ['osVersion'],
  osApiLevel: ['osApiLevel'],
  deviceUptimeMillis: ['deviceUptimeInfo.uptimeMillis'],
  memoryFreeBytes: ['memoryInfo.freeBytes'],
  memoryTotalBytes: ['memoryInfo.totalBytes'],
  memoryMaxBytes: ['memoryInfo.maxBytes'],
  storageAvailableBytes: ['storageInfo.availableBytes'],
  storageTotalBytes: ['storageInfo.totalBytes'],
  timezone: ['systemInfo.timezone'],
  locale: ['systemInfo.locale'],
  receiveSMSEnabled: ['receiveSMSEnabled'],
  smsSendDelaySeconds: ['smsSendDelaySeconds'],
  isIgnoringBatteryOptimizations: ['powerInfo.isIgnoringBatteryOptimizations'],
  isDeviceIdleMode: ['powerInfo.isDeviceIdleMode'],
  isPowerSaveMode: ['powerInfo.isPowerSaveMode'],
} as const satisfies Record<PlainField, readonly (keyof Device | GroupPath)[]>;

const HEARTBEAT_FIELDS = Object.keys(HEARTBEAT_PATHS) as PlainField[];

export function changesFromHeartbeat(attributes: HeartbeatAttributes, now: Date): DeviceChanges {
  const changes = derivedChanges(attributes, now);
  for (const field of HEARTBEAT_FIELDS) {
    if (attributes[field] === undefined) continue;
    for (const path of HEARTBEAT_PATHS[field]) {
      changes[path] = attributes[field];
      const [group, value] = path.split('.');
      if (value !== undefined) changes[`${group}.lastUpdated`] = now;
    }
  }
  return changes;
}
