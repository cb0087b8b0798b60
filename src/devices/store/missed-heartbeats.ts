import { MINUTE_MS } from '../../common/durations';
import type { Device } from './device.schema';

const MAX_MISSED_HEARTBEATS = 2;

/** When a phone that was last heard of at this time has missed two heartbeats. */
export function missedHeartbeatsAt(
  heardAt: Date,
  { heartbeatIntervalMinutes }: Pick<Device, 'heartbeatIntervalMinutes'>,
): Date {
  return new Date(heardAt.getTime() + MAX_MISSED_HEARTBEATS * heartbeatIntervalMinutes * MINUTE_MS);
}

/** Whether that time has passed, as an expression of the database. */
export const hasMissedHeartbeats = (heardAt: unknown, now: Date) => ({
  $lt: [
    heardAt,
    { $subtract: [now, { $multiply: ['$heartbeatIntervalMinutes', MAX_MISSED_HEARTBEATS * MINUTE_MS] }] },
  ],
});
