import type { Device, PushTransportName, Sim } from './device.schema';

/** Attributes a phone reports when it registers or updates its device. */
export interface DeviceAttributes {
  brand?: string;
  manufacturer?: string;
  model?: string;
  name?: string;
  buildId?: string;
  os?: string;
  osVersion?: string;
  osApiLevel?: number;
  osBuildFingerprint?: string;
  appVersionName?: string;
  appVersionCode?: number;
  serial?: string;
  fcmToken?: string;
  enabled?: boolean;
  pushTransport?: PushTransportName;
  supportsCancel?: boolean;
  supportsEncryption?: boolean;
  simInfo?: SimAttributes;
}

export interface SimAttributes {
  /** Epoch milliseconds or ISO 8601. */
  lastUpdated?: number | string;
  sims: Sim[];
}

/** The body of a heartbeat. */
export interface HeartbeatAttributes {
  fcmToken?: string;
  batteryPercentage?: number;
  isCharging?: boolean;
  networkType?: string;
  appVersionName?: string;
  appVersionCode?: number;
  osVersion?: string;
  osApiLevel?: number;
  deviceUptimeMillis?: number;
  memoryFreeBytes?: number;
  memoryTotalBytes?: number;
  memoryMaxBytes?: number;
  storageAvailableBytes?: number;
  storageTotalBytes?: number;
  timezone?: string;
  locale?: string;
  receiveSMSEnabled?: boolean;
  smsSendDelaySeconds?: number;
  isIgnoringBatteryOptimizations?: boolean;
  isDeviceIdleMode?: boolean;
  isPowerSaveMode?: boolean;
  simInfo?: SimAttributes;
}

/** Fields to write, by path; only those reported, so that missing values keep the stored ones. */
export type DeviceChanges = Record<string, unknown>;

function onlyPresent(fields: DeviceChanges): DeviceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function groupChanges(name: keyof Device, fields: DeviceChanges, now: Date): DeviceChanges {
  const present = Object.entries(onlyPresent(fields));
  if (present.length === 0) return {};
  return Object.fromEntries([
    ...present.map(([field, value]) => [`${name}.${field}`, value] as const),
    [`${name}.lastUpdated`, now],
  ]);
}

function simChanges(attributes: SimAttributes | undefined, now: Date): DeviceChanges {
  if (!attributes) return {};
  const reportedAt = attributes.lastUpdated === undefined ? now : new Date(attributes.lastUpdated);
  const lastUpdated = Number.isNaN(reportedAt.getTime()) || reportedAt.getTime() === 0 ? now : reportedAt;
  return { simInfo: { lastUpdated, sims: attributes.sims.map((sim) => onlyPresent({ ...sim })) } };
}

export function changesFromAttributes(attributes: DeviceAttributes, now: Date): DeviceChanges {
  const { simInfo, ...plain } = attributes;
  return {
    ...onlyPresent(plain),
    ...(attributes.osVersion ? { osVersionSource: 'reported' } : {}),
    ...simChanges(simInfo, now),
  };
}

export function changesFromHeartbeat(attributes: HeartbeatAttributes, now: Date): DeviceChanges {
  return {
    lastHeartbeat: now,
    ...changesFromAttributes(
      {
        fcmToken: attributes.fcmToken,
        appVersionName: attributes.appVersionName,
        appVersionCode: attributes.appVersionCode,
        osVersion: attributes.osVersion,
        osApiLevel: attributes.osApiLevel,
        simInfo: attributes.simInfo,
      },
      now,
    ),
    ...onlyPresent({
      receiveSMSEnabled: attributes.receiveSMSEnabled,
      smsSendDelaySeconds: attributes.smsSendDelaySeconds,
    }),
    ...groupChanges(
      'batteryInfo',
      { percentage: attributes.batteryPercentage, isCharging: attributes.isCharging },
      now,
    ),
    ...groupChanges('networkInfo', { networkType: attributes.networkType }, now),
    ...groupChanges(
      'appVersionInfo',
      { versionName: attributes.appVersionName, versionCode: attributes.appVersionCode },
      now,
    ),
    ...groupChanges('deviceUptimeInfo', { uptimeMillis: attributes.deviceUptimeMillis }, now),
    ...groupChanges(
      'memoryInfo',
      {
        freeBytes: attributes.memoryFreeBytes,
        totalBytes: attributes.memoryTotalBytes,
        maxBytes: attributes.memoryMaxBytes,
      },
      now,
    ),
    ...groupChanges(
      'storageInfo',
      { availableBytes: attributes.storageAvailableBytes, totalBytes: attributes.storageTotalBytes },
      now,
    ),
    ...groupChanges('systemInfo', { timezone: attributes.timezone, locale: attributes.locale }, now),
    ...groupChanges(
      'powerInfo',
      {
        isIgnoringBatteryOptimizations: attributes.isIgnoringBatteryOptimizations,
        isDeviceIdleMode: attributes.isDeviceIdleMode,
        isPowerSaveMode: attributes.isPowerSaveMode,
      },
      now,
    ),
  };
}
