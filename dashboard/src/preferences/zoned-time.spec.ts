import { clockAt, instantOf } from './zoned-time';

describe('the clocks of a zone', () => {
  it.each([
    ['2026-01-31T09:00', 'Europe/Berlin', '2026-01-31T08:00:00.000Z'],
    ['2026-07-31T09:00', 'Europe/Berlin', '2026-07-31T07:00:00.000Z'],
    ['2026-07-31T00:30', 'Asia/Kathmandu', '2026-07-30T18:45:00.000Z'],
    ['2026-07-31T00:30', 'Pacific/Kiritimati', '2026-07-30T10:30:00.000Z'],
    ['2026-01-01T00:00', 'UTC', '2026-01-01T00:00:00.000Z'],
    // Skipped: 02:30 is 03:30.
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    // Shown twice.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('show %s in %s at %s', (clock, zone, instant) => {
    expect(instantOf(clock, zone)?.toISOString()).toBe(instant);
  });

  it('are read back', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'])
      expect(clockAt(instantOf('2026-05-05T05:05', zone) ?? new Date(0), zone)).toBe('2026-05-05T05:05');
  });

  it.each(['', '2026', '2026-13-01T00:00', 'tomorrow'])('never show %p', (clock) => {
    expect(instantOf(clock, 'UTC')).toBeUndefined();
  });
});
