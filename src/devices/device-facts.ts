import type { Device, PushTransportName, Sim } from './device.schema';

/** What a phone says of itself when it registers or changes; what it does not know is absent. */
export interface DeviceFacts {
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
  simInfo?: SimFacts;
}

export interface SimFacts {
  /** Epoch milliseconds or ISO 8601. */
  lastUpdated?: number | string;
  sims: Sim[];
}

/** What a heartbeat says (device protocol, heartbeat body). */
export interface HeartbeatFacts {
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
  simInfo?: SimFacts;
}

/** Fields to write, by path. Only what was said is in it, so that silence never clobbers. */
export type DeviceChanges = Record<string, unknown>;

function onlyPresent(fields: DeviceChanges): DeviceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A group's fields as paths below it, with its `lastUpdated`; nothing when none was said. */
function group(name: keyof Device, fields: DeviceChanges, now: Date): DeviceChanges {
  const present = Object.entries(onlyPresent(fields));
  if (present.length === 0) return {};
  return Object.fromEntries([
    ...present.map(([field, value]) => [`${name}.${field}`, value] as const),
    [`${name}.lastUpdated`, now],
  ]);
}

function simChanges(facts: SimFacts | undefined, now: Date): DeviceChanges {
  if (!facts) return {};
  const said = facts.lastUpdated === undefined ? now : new Date(facts.lastUpdated);
  const lastUpdated = Number.isNaN(said.getTime()) || said.getTime() === 0 ? now : said;
  return { simInfo: { lastUpdated, sims: facts.sims.map((sim) => onlyPresent({ ...sim })) } };
}

/** The fields a registration or an update writes. */
export function changesFromFacts(facts: DeviceFacts, now: Date): DeviceChanges {
  const { simInfo, ...plain } = facts;
  return {
    ...onlyPresent(plain),
    ...(facts.osVersion ? { osVersionSource: 'reported' } : {}),
    ...simChanges(simInfo, now),
  };
}

/** The fields a heartbeat writes. */
export function changesFromHeartbeat(facts: HeartbeatFacts, now: Date): DeviceChanges {
  return {
    lastHeartbeat: now,
    ...changesFromFacts(
      {
        fcmToken: facts.fcmToken,
        appVersionName: facts.appVersionName,
        appVersionCode: facts.appVersionCode,
        osVersion: facts.osVersion,
        osApiLevel: facts.osApiLevel,
        simInfo: facts.simInfo,
      },
      now,
    ),
    ...onlyPresent({
      receiveSMSEnabled: facts.receiveSMSEnabled,
      smsSendDelaySeconds: facts.smsSendDelaySeconds,
    }),
    ...group('batteryInfo', { percentage: facts.batteryPercentage, isCharging: facts.isCharging }, now),
    ...group('networkInfo', { networkType: facts.networkType }, now),
    ...group('appVersionInfo', { versionName: facts.appVersionName, versionCode: facts.appVersionCode }, now),
    ...group('deviceUptimeInfo', { uptimeMillis: facts.deviceUptimeMillis }, now),
    ...group(
      'memoryInfo',
      {
        freeBytes: facts.memoryFreeBytes,
        totalBytes: facts.memoryTotalBytes,
        maxBytes: facts.memoryMaxBytes,
      },
      now,
    ),
    ...group(
      'storageInfo',
      { availableBytes: facts.storageAvailableBytes, totalBytes: facts.storageTotalBytes },
      now,
    ),
    ...group('systemInfo', { timezone: facts.timezone, locale: facts.locale }, now),
    ...group(
      'powerInfo',
      {
        isIgnoringBatteryOptimizations: facts.isIgnoringBatteryOptimizations,
        isDeviceIdleMode: facts.isDeviceIdleMode,
        isPowerSaveMode: facts.isPowerSaveMode,
      },
      now,
    ),
  };
}
