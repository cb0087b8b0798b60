const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after the attempt before it each attempt is made. */
const GAPS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Attempts a delivery is given by itself. */
export const MOST_ATTEMPTS = GAPS_MS.length;

/** The part of a gap by which chance moves it: what failed together is not repeated together. */
const JITTER = 0.1;

/** The longest a receiver can put an attempt off. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/**
 * When the next attempt of a delivery is due.
 * @param made attempts made so far.
 * @param endedAt when the last of them ended.
 * @param chance between -1 and 1.
 * @param retryAfterMs what the receiver asked for; it can only lengthen the gap.
 * @returns undefined when there is none left.
 */
export function nextAttemptAt(
  made: number,
  endedAt: Date,
  chance: number,
  retryAfterMs = 0,
): Date | undefined {
  const gap = GAPS_MS[made];
  if (gap === undefined) return undefined;
  const jittered = Math.round(gap * (1 + JITTER * chance));
  return new Date(endedAt.getTime() + Math.max(jittered, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)));
}

/** Reads a `Retry-After` header: seconds, or an HTTP date. @returns milliseconds from `now`, 0 for anything else. */
export function readRetryAfter(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  // An HTTP date ends in GMT; what else Date would read, a receiver did not mean.
  const time = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, time - now.getTime());
}
