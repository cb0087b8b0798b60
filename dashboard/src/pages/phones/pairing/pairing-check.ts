export type CheckState = 'passed' | 'waiting' | 'failed';

/** The first version of the app that can be told to hold a stream. */
const OLDEST: readonly [number, number] = [1, 53];

/** Whether the version of the app is new enough; it waits until the phone has reported one. */
export function versionCheck(version: string | undefined): CheckState {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (major === undefined || minor === undefined) return 'waiting';
  const [a, b] = [Number(major), Number(minor)];
  return a > OLDEST[0] || (a === OLDEST[0] && b >= OLDEST[1]) ? 'passed' : 'failed';
}
