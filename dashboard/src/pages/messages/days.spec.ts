import { dayOf, endOfDay, presetDays, startOfDay } from './days';

describe('days in a time zone', () => {
  it.each([
    ['UTC', '2026-01-31', '2026-01-31T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['Europe/Berlin', '2026-01-31', '2026-01-30T23:00:00.000Z', '2026-01-31T23:00:00.000Z'],
    // 23 and 25 hours long.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-31', '2026-01-30T18:15:00.000Z', '2026-01-31T18:15:00.000Z'],
    ['Pacific/Auckland', '2026-12-31', '2026-12-30T11:00:00.000Z', '2026-12-31T11:00:00.000Z'],
  ])('in %s, %s begins and ends', (timeZone, day, start, end) => {
    expect([startOfDay(day, timeZone), endOfDay(day, timeZone)]).toEqual([start, end]);
    expect(dayOf(start, timeZone)).toBe(day);
    expect(dayOf(new Date(Date.parse(end) - 1).toISOString(), timeZone)).toBe(day);
  });

  it.each([
    ['2026-11-26', 'lastMonth', '2026-10-01', '2026-10-31'],
    ['2026-11-26', 'thisMonth', '2026-11-01', '2026-11-26'],
    ['2026-11-26', 'last30', '2026-10-28', '2026-11-26'],
    ['2026-03-01', 'yesterday', '2026-02-28', '2026-02-28'],
    ['2028-03-01', 'lastMonth', '2028-02-01', '2028-02-29'],
    ['2026-01-01', 'lastMonth', '2025-12-01', '2025-12-31'],
    ['2026-01-01', 'last7', '2025-12-26', '2026-01-01'],
    ['2026-01-01', 'today', '2026-01-01', '2026-01-01'],
  ])('on %s, %s is from %s to %s', (today, preset, first, last) => {
    expect(presetDays(today)).toContainEqual({ preset, days: [first, last] });
  });

  it('is none for what is no time', () => {
    expect([dayOf(undefined, 'UTC'), dayOf('yesterday', 'UTC')]).toEqual([undefined, undefined]);
  });
});
