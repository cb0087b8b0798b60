const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const GIVE_UP_AFTER_MS = 30 * 60_000;

/**
 * When a message that the push service did not take is tried again: after 5 s, 10 s, 20 s and so on, at most five
 * minutes apart.
 * @param attempts how often it was tried.
 * @param unavailableSince when it was tried first.
 * @returns null when it has been tried for 30 minutes.
 */
export function nextDispatchAt(attempts: number, unavailableSince: Date, now: Date): Date | null {
  if (now.getTime() - unavailableSince.getTime() >= GIVE_UP_AFTER_MS) return null;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
  return new Date(now.getTime() + pause);
}
