import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/durations';

/** Delay before each attempt, counted from the end of the previous one. */
const RETRY_DELAYS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** Scheduled attempts per delivery; redeliveries are extra. */
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length;

/** Fraction of a delay. Spreads out retries of deliveries that failed together. */
const JITTER_FRACTION = 0.1;

const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * When the next attempt of a delivery is due.
 * @param attemptsMade scheduled attempts so far.
 * @param endedAt when the last attempt ended.
 * @param jitter between -1 and 1.
 * @param retryAfterMs the delay the endpoint requested; it can only lengthen the scheduled one, by up to 24 hours.
 * @returns undefined when no attempt is left.
 */
export function nextAttemptAt(
  attemptsMade: number,
  endedAt: Date,
  jitter: number,
  retryAfterMs = 0,
): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[attemptsMade];
  if (delayMs === undefined) return undefined;
  const jitteredMs = Math.round(delayMs * (1 + JITTER_FRACTION * jitter));
  return new Date(endedAt.getTime() + Math.max(jitteredMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}

/** Reads a `Retry-After` header: seconds, or an HTTP date. @returns milliseconds from `now`, 0 for anything else. */
export function readRetryAfter(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  // `Date.parse` accepts other formats, but an HTTP date ends in GMT.
  const time = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, time - now.getTime());
}
