const MIN_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60_000;
const PUSH_RETRY_LIMIT_MS = 30 * 60_000;

/**
 * The time of the next attempt: exponential backoff from 5 seconds to 5 minutes.
 * @param attempts number of attempts so far, at least 1.
 * @param unavailableSince time of the first attempt that found the push service unavailable.
 * @returns undefined after 30 minutes of attempts.
 */
export function retryDispatchAt(attempts: number, unavailableSince: Date, now: Date): Date | undefined {
  if (now.getTime() - unavailableSince.getTime() >= PUSH_RETRY_LIMIT_MS) return undefined;
  const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (attempts - 1));
  return new Date(now.getTime() + backoffMs);
}
