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
  const { simInfo, ...plain } = attributes;
  return {
    ...onlyPresent(plain),
    ...(attributes.osVersion ? { osVersionSource: 'reported' } : {}),
    ...simChanges(simInfo, now),
  };
}

/** The groups of a device that heartbeats fill: by field of the group, the field of the heartbeat. */
const HEARTBEAT_GROUPS = {
  batteryInfo: { percentage: 'batteryPercentage', isCharging: 'isCharging' },
  networkInfo: { networkType: 'networkType' },
  appVersionInfo: { versionName: 'appVersionName', versionCode: 'appVersionCode' },
  deviceUptimeInfo: { uptimeMillis: 'deviceUptimeMillis' },
  memoryInfo: { freeBytes: 'memoryFreeBytes', totalBytes: 'memoryTotalBytes', maxBytes: 'memoryMaxBytes' },
  storageInfo: { availableBytes: 'storageAvailableBytes', totalBytes: 'storageTotalBytes' },
  systemInfo: { timezone: 'timezone', locale: 'locale' },
  powerInfo: {
    isIgnoringBatteryOptimizations: 'isIgnoringBatteryOptimizations',
    isDeviceIdleMode: 'isDeviceIdleMode',
    isPowerSaveMode: 'isPowerSaveMode',
  },
} as const satisfies Partial<Record<keyof Device, Record<string, keyof HeartbeatAttributes>>>;

function groupChanges(attributes: HeartbeatAttributes, now: Date): DeviceChanges {
  const changes: DeviceChanges = {};
  for (const [group, fields] of Object.entries(HEARTBEAT_GROUPS)) {
    for (const [field, source] of Object.entries<keyof HeartbeatAttributes>(fields)) {
      if (attributes[source] === undefined) continue;
      changes[`${group}.${field}`] = attributes[source];
      changes[`${group}.lastUpdated`] = now;
    }
  }
  return changes;
}

export function changesFromHeartbeat(attributes: HeartbeatAttributes, now: Date): DeviceChanges {
  const { fcmToken, appVersionName, appVersionCode, osVersion, osApiLevel, simInfo } = attributes;
  const { receiveSMSEnabled, smsSendDelaySeconds } = attributes;
  return {
    ...changesFromAttributes(
      { fcmToken, appVersionName, appVersionCode, osVersion, osApiLevel, simInfo },
      now,
    ),
    ...onlyPresent({ receiveSMSEnabled, smsSendDelaySeconds }),
    ...groupChanges(attributes, now),
  };
}
