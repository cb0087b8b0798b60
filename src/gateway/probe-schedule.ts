const MS_A_MINUTE = 60_000;

/** A phone is silent once it has missed this many heartbeats. */
const MISSED_HEARTBEATS = 2;

const PROBE_EVERY_MS = 60 * MS_A_MINUTE;

/** What is known of a phone's heartbeats. */
interface Heartbeats {
  readonly lastHeartbeat?: Date;
  readonly heartbeatIntervalMinutes: number;
}

/**
 * Whether a phone is to be probed now, and when to look at it next. One that has never been heard is not probed: it
 * has yet to be set up.
 */
export function probeSchedule(
  { lastHeartbeat, heartbeatIntervalMinutes }: Heartbeats,
  now: Date,
): { probe: boolean; nextLookAt: Date } {
  const silentAfterMs = MISSED_HEARTBEATS * heartbeatIntervalMinutes * MS_A_MINUTE;
  const heard = lastHeartbeat ?? now;
  const silentAt = new Date(heard.getTime() + silentAfterMs);
  if (silentAt > now) return { probe: false, nextLookAt: silentAt };
  return { probe: true, nextLookAt: new Date(now.getTime() + PROBE_EVERY_MS) };
}
