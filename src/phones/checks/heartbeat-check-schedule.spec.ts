import { planHeartbeatCheck } from './heartbeat-check-schedule';

const MINUTE = 60_000;
const NOW = new Date('2026-01-31T12:00:00Z');
const heartbeatAgo = (minutes: number, heartbeatIntervalMinutes = 30) => ({
  lastHeartbeat: new Date(NOW.getTime() - minutes * MINUTE),
  heartbeatIntervalMinutes,
});
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

describe('planHeartbeatCheck', () => {
  it.each([
    ['waits two intervals after a heartbeat', heartbeatAgo(0), false, 60],
    ['waits for the rest of two intervals', heartbeatAgo(59), false, 1],
    ['checks a phone after two intervals, and again in an hour', heartbeatAgo(60), true, 60],
    ['checks a phone after days, and again in an hour', heartbeatAgo(10_000), true, 60],
    ["uses the phone's own interval", heartbeatAgo(60, 240), false, 420],
    ['does not check a phone without a heartbeat', { heartbeatIntervalMinutes: 15 }, false, 30],
  ])('%s', (_, heartbeats, hasMissedHeartbeats, minutes) => {
    expect(planHeartbeatCheck(heartbeats, NOW)).toEqual({
      hasMissedHeartbeats,
      nextCheckAt: inMinutes(minutes),
    });
  });
});
