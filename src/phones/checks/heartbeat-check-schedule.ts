import { HOUR_MS } from '../../common/durations';
import { missedHeartbeatsAt } from '../../devices/store/missed-heartbeats';
import type { Device } from '../../devices/store/device.schema';

const HEARTBEAT_CHECK_INTERVAL_MS = HOUR_MS;

/**
 * Whether to send a heartbeat check now, and when to check the phone next. A phone without any heartbeat gets none: it is
 * not set up yet.
 */
export function planHeartbeatCheck(
  device: Pick<Device, 'lastHeartbeat' | 'heartbeatIntervalMinutes'>,
  now: Date,
): { hasMissedHeartbeats: boolean; nextCheckAt: Date } {
  const missedAt = missedHeartbeatsAt(device.lastHeartbeat ?? now, device);
  if (missedAt > now) return { hasMissedHeartbeats: false, nextCheckAt: missedAt };
  return { hasMissedHeartbeats: true, nextCheckAt: new Date(now.getTime() + HEARTBEAT_CHECK_INTERVAL_MS) };
}
