const MIN_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60_000;
const GIVE_UP_AFTER_MS = 30 * 60_000;

/**
 * The time of the next attempt: exponential backoff from 5 seconds to 5 minutes.
 * @param attempts number of attempts so far.
 * @param unavailableSince time of the first attempt.
 * @returns null after 30 minutes of attempts.
 */
export function nextDispatchAt(attempts: number, unavailableSince: Date, now: Date): Date | null {
  if (now.getTime() - unavailableSince.getTime() >= GIVE_UP_AFTER_MS) return null;
  const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.max(0, attempts - 1));
  return new Date(now.getTime() + backoffMs);
}
