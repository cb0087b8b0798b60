import { HOUR_MS, MINUTE_MS } from '../../common/durations';
import { MAX_MISSED_HEARTBEATS } from '../../devices/registration/device-matching';
import type { Device } from '../../devices/device.schema';

const HEARTBEAT_CHECK_INTERVAL_MS = HOUR_MS;

/**
 * Whether to send a heartbeat check now, and when to check the phone next. A phone without any heartbeat gets none: it is
 * not set up yet.
 */
export function planHeartbeatCheck(
  { lastHeartbeat, heartbeatIntervalMinutes }: Pick<Device, 'lastHeartbeat' | 'heartbeatIntervalMinutes'>,
  now: Date,
): { isUnresponsive: boolean; nextCheckAt: Date } {
  const timeoutMs = MAX_MISSED_HEARTBEATS * heartbeatIntervalMinutes * MINUTE_MS;
  const unresponsiveAt = new Date((lastHeartbeat ?? now).getTime() + timeoutMs);
  if (unresponsiveAt > now) return { isUnresponsive: false, nextCheckAt: unresponsiveAt };
  return { isUnresponsive: true, nextCheckAt: new Date(now.getTime() + HEARTBEAT_CHECK_INTERVAL_MS) };
}
