import { createHash } from 'node:crypto';
import { freemem, totalmem, uptime } from 'node:os';
import type { IncomingSms } from './wire';

export interface HandsetOptions {
  readonly name: string;
  readonly serial: string;
  readonly sendDelaySeconds: number;
  readonly receiveSmsEnabled: boolean;
}

const APP = { appVersionName: '1.0.0', appVersionCode: 1 } as const;
export const VIRTUAL_MODEL = 'Virtual phone';
const ANDROID = { osVersion: '14', osApiLevel: 34 } as const;

export function registrationBody(handset: HandsetOptions): Record<string, unknown> {
  return {
    ...APP,
    ...ANDROID,
    pushTransport: 'stream',
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
    simInfo: simInfo(),
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
    simInfo: simInfo(),
  };
}

export function incomingSms(sender: string, message: string, receivedAtInMillis: number): IncomingSms {
  const fingerprint = createHash('md5').update(`${sender}|${message}|${receivedAtInMillis}`).digest('hex');
  return { sender, message, receivedAtInMillis, fingerprint };
}

function simInfo(): Record<string, unknown> {
  return {
    lastUpdated: Date.now(),
    sims: [
      {
        subscriptionId: 1,
        carrierName: 'Virtual carrier',
        displayName: 'SIM 1',
        simSlotIndex: 0,
        mcc: '001',
        mnc: '01',
        countryIso: 'de',
        subscriptionType: 'PHYSICAL_SIM',
      },
    ],
  };
}
