/** A version of the app, such as `1.68.0`. */
export type AppVersion = readonly [major: number, minor: number, patch: number];

/** Older apps cannot be told to use their stream only. */
export const OLDEST_APP: AppVersion = [1, 53, 0];

/** Since this version the app asks for a hook at its start. */
export const STARTED_HOOK_SINCE: AppVersion = [1, 66, 0];

/** Since this version the app cancels messages; earlier ones would send them. */
export const CANCELS_SINCE: AppVersion = [1, 67, 0];

/** @param userAgent of a call of the app, such as `me.capcom.smsgateway/1.68.0`. @returns undefined for another client. */
export function appVersionOf(userAgent: string | undefined): AppVersion | undefined {
  const [, ...numbers] =
    /me\.capcom\.smsgateway\/(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(userAgent ?? '') ?? [];
  const [major, minor, patch = 0] = numbers.flatMap((number) => (number ? Number(number) : []));
  return major === undefined || minor === undefined ? undefined : [major, minor, patch];
}

export const formatAppVersion = (version: AppVersion): string => version.join('.');

export function isAtLeast(version: AppVersion | undefined, wanted: AppVersion): boolean {
  if (!version) return false;
  for (const [index, number] of version.entries())
    if (number !== wanted[index]) return number > (wanted[index] ?? 0);
  return true;
}
