import type { Device } from './device.schema';
import type { DeviceRequest, SimInfoRequest } from './dto/device.request';
import type { HeartbeatRequest } from './dto/heartbeat.request';

/** Attributes a phone reports when it registers or updates its device. */
export type DeviceAttributes = Readonly<DeviceRequest>;

export type SimAttributes = Readonly<SimInfoRequest>;

export type HeartbeatAttributes = Readonly<HeartbeatRequest>;

/** Fields to write, by path; only those reported, so that missing values keep the stored ones. */
export type DeviceChanges = Record<string, unknown>;

function onlyPresent(fields: object): DeviceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function simChanges(attributes: SimAttributes | undefined, now: Date): DeviceChanges {
  if (!attributes) return {};
  const reportedAt = attributes.lastUpdated === undefined ? now : new Date(attributes.lastUpdated);
  const lastUpdated = Number.isNaN(reportedAt.getTime()) || reportedAt.getTime() === 0 ? now : reportedAt;
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
