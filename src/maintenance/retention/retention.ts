import type { AccountScope } from '../../auth/account-scope';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/durations';

/** Removes the old records of one account. */
export interface Retention {
  readonly intervalMs: number;
  /** Safe to repeat and to run concurrently. @param now a time of the database. */
  removeOld(account: AccountScope, now: Date): Promise<void>;
}

/** A reader that read the stored totals just before they were closed still has this long to count the open messages. */
const READER_GRACE_MS = MINUTE_MS;

/**
 * The time before which counted records may be removed: all readers have them as part of the stored totals.
 * @param closed the time up to which the totals are closed.
 */
export const removableBefore = (closed: Date): Date => new Date(closed.getTime() - READER_GRACE_MS);

/** How often to remove what is older than `days`: hourly, or more often if it is kept for less than an hour. */
export const retentionIntervalMs = (days: number): number => Math.min(HOUR_MS, days * DAY_MS || HOUR_MS);
