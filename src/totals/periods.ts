import type { MaintenanceConfig } from '../config/sections/maintenance.config';
import { MINUTE_MS, SECOND_MS } from '../common/durations';

/**
 * Exceeds the longest write that counts a message. The time of such a write is that of its start, so a period is complete
 * this long after its end.
 */
const GRACE_MS = MINUTE_MS;

/** The `maxTimeMS` of writes that count messages, so that each ends before its period is closed. */
export const COUNTING_WRITE_TIMEOUT_MS = 30_000;

/** The end of the last period that may be closed. @param now a time of the database. */
export function closableUntil(now: Date, { rollupPeriodSeconds }: MaintenanceConfig): Date {
  const periodMs = rollupPeriodSeconds * SECOND_MS;
  return new Date(Math.floor((now.getTime() - GRACE_MS) / periodMs) * periodMs);
}

/** Records counted before this time may be removed; readers of earlier totals may still be counting the last minute. */
export const removableBefore = (closed: Date): Date => new Date(closed.getTime() - MINUTE_MS);
