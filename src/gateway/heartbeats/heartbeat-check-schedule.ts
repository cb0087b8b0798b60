const MS_A_MINUTE = 60_000;

const MAX_MISSED_HEARTBEATS = 2;

const HEARTBEAT_CHECK_INTERVAL_MS = 60 * MS_A_MINUTE;

interface Heartbeats {
  readonly lastHeartbeat?: Date;
  readonly heartbeatIntervalMinutes: number;
}

/**
 * Whether to send a heartbeat check now, and when to check the phone next. A phone without any heartbeat gets none: it is
 * not set up yet.
 */
export function planHeartbeatCheck(
  { lastHeartbeat, heartbeatIntervalMinutes }: Heartbeats,
  now: Date,
): { isUnresponsive: boolean; nextCheckAt: Date } {
  const timeoutMs = MAX_MISSED_HEARTBEATS * heartbeatIntervalMinutes * MS_A_MINUTE;
  const unresponsiveAt = new Date((lastHeartbeat ?? now).getTime() + timeoutMs);
  if (unresponsiveAt > now) return { isUnresponsive: false, nextCheckAt: unresponsiveAt };
  return { isUnresponsive: true, nextCheckAt: new Date(now.getTime() + HEARTBEAT_CHECK_INTERVAL_MS) };
}
