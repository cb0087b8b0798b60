import { dayOf, endOfDay, startOfDay } from './days';

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

  it('is none for what is no time', () => {
    expect([dayOf(undefined, 'UTC'), dayOf('yesterday', 'UTC')]).toEqual([undefined, undefined]);
  });
});
