export const APP = 'me.capcom.smsgateway';
/** Where the app is published. */
export const RELEASES = 'https://github.com/capcom6/android-sms-gateway/releases';
export const OLDEST_VERSION = '1.53.0';

export const PERMISSIONS = ['SEND_SMS', 'RECEIVE_SMS', 'READ_SMS', 'READ_PHONE_STATE'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface InstalledApp {
  /** Undefined if the phone does not tell. */
  readonly version: string | undefined;
  readonly granted: readonly Permission[];
}

/** @param text the output of `dumpsys package`. @returns undefined if the app is not installed. */
export function readInstalledApp(text: string): InstalledApp | undefined {
  if (!text.includes(`Package [${APP}]`)) return undefined;
  // Before Android 6 the installation grants what the app requests.
  const end = text.includes('granted=') ? ': granted=true' : '';
  return {
    version: /\bversionName=(\S+)/.exec(text)?.[1],
    granted: PERMISSIONS.filter((name) => text.includes(`android.permission.${name}${end}`)),
  };
}

/** Whether the version is one that does not speak the protocol as the service needs it. */
export function isTooOld(version: string): boolean {
  const numbers = (text: string) => (/^(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  const [major, minor] = numbers(version);
  const [oldestMajor = 0, oldestMinor = 0] = numbers(OLDEST_VERSION);
  if (major === undefined || minor === undefined) return false;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
