import { probeSchedule } from './probe-schedule';

const MINUTE = 60_000;
const NOW = new Date('2026-01-31T12:00:00Z');
const heardAgo = (minutes: number, heartbeatIntervalMinutes = 30) => ({
  lastHeartbeat: new Date(NOW.getTime() - minutes * MINUTE),
  heartbeatIntervalMinutes,
});
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

describe('when a phone is probed', () => {
  it.each([
    ['heard just now: not before two intervals', heardAgo(0), false, 60],
    ['heard within two intervals: when they are over', heardAgo(59), false, 1],
    ['silent for two intervals: now, and again in an hour', heardAgo(60), true, 60],
    ['silent for days: now, and again in an hour', heardAgo(10_000), true, 60],
    ['by its own interval', heardAgo(60, 240), false, 420],
    ['never heard: not at all', { heartbeatIntervalMinutes: 15 }, false, 30],
  ])('%s', (_, heartbeats, probe, minutes) => {
    expect(probeSchedule(heartbeats, NOW)).toEqual({ probe, nextLookAt: inMinutes(minutes) });
  });
});
