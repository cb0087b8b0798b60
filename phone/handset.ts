import { freemem, totalmem, uptime } from 'node:os';
import { SimCard } from './sims/sim-card';

export interface HandsetOptions {
  readonly name: string;
  readonly serial: string;
  readonly sendDelaySeconds: number;
  readonly receiveSmsEnabled: boolean;
  /** Default: one SIM; null for an app that does not tell its SIMs. */
  readonly sims?: readonly Readonly<Record<string, unknown>>[] | null;
  /** Android's limit; null for none, as by default. */
  readonly partsPerMinute?: number | null;
  /** Default `stream`. */
  readonly pushTransport?: 'stream' | 'fcm';
  readonly fcmToken?: string;
}

const APP = { appVersionName: '1.0.0', appVersionCode: 1 } as const;
/** The service tells virtual phones by this `model`; must match `src/devices/http/device.response.ts`. */
export const VIRTUAL_MODEL = 'Virtual phone';
const ANDROID = { osVersion: '14', osApiLevel: 34 } as const;
const DEFAULT_SIMS = [{ subscriptionId: 1, simSlotIndex: 0, ...new SimCard().describe(0) }];

export function registrationBody(handset: HandsetOptions): Record<string, unknown> {
  return {
    ...APP,
    ...ANDROID,
    pushTransport: handset.pushTransport ?? 'stream',
    fcmToken: handset.fcmToken,
    supportsCancel: true,
    supportsEncryption: true,
    enabled: true,
    brand: 'Virtual',
    manufacturer: 'Virtual',
    model: VIRTUAL_MODEL,
    buildId: 'UP1A.231005.007',
    os: 'Android',
    serial: handset.serial,
    name: handset.name,
    partsPerMinute: handset.partsPerMinute ?? null,
    ...simInfoOf(handset),
  };
}

export function heartbeatBody(handset: HandsetOptions): Record<string, unknown> {
  return {
    ...APP,
    ...ANDROID,
    batteryPercentage: 100,
    isCharging: true,
    networkType: 'wifi',
    deviceUptimeMillis: Math.round(uptime() * 1000),
    memoryFreeBytes: freemem(),
    memoryTotalBytes: totalmem(),
    memoryMaxBytes: totalmem(),
    storageAvailableBytes: 32_000_000_000,
    storageTotalBytes: 64_000_000_000,
    timezone: 'UTC',
    locale: 'en_GB',
    receiveSMSEnabled: handset.receiveSmsEnabled,
    smsSendDelaySeconds: handset.sendDelaySeconds,
    isIgnoringBatteryOptimizations: true,
    isDeviceIdleMode: false,
    isPowerSaveMode: false,
    fcmToken: handset.fcmToken,
    ...simInfoOf(handset),
  };
}

function simInfoOf({ sims = DEFAULT_SIMS }: HandsetOptions): Record<string, unknown> {
  return sims === null ? {} : { simInfo: { lastUpdated: Date.now(), sims } };
}
