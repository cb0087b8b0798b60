import type { AccountScope } from '../../auth/account-scope';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/durations';

/** Removes what is old of one account. */
export interface Retention {
  readonly intervalMs: number;
  /** Safe to repeat and to run concurrently. @param now a time of the database. */
  removeOld(account: AccountScope, now: Date): Promise<void>;
}

/** For readers that read totals before they were closed, and then count what came since. */
const READER_TIMEOUT_MS = MINUTE_MS;

/** What was counted before this time is part of the totals of every reader. @param closed up to where they are closed. */
export const removableBefore = (closed: Date): Date => new Date(closed.getTime() - READER_TIMEOUT_MS);

/** How often to remove what is older than `days`: hourly, or more often if it is kept for less than an hour. */
export const retentionIntervalMs = (days: number): number => Math.min(HOUR_MS, days * DAY_MS || HOUR_MS);
