import { Calendar, calendarOf, isTimeZone, type Period } from './calendar';

const spanOf = (zone: string, period: Period, time: string, monthStartsOn = 1) => {
  const { start, end } = new Calendar(zone, monthStartsOn).spanOf(period, Date.parse(time));
  return [new Date(start).toISOString(), new Date(end).toISOString()].map((text) =>
    text.replace(':00.000Z', 'Z'),
  );
};

describe('Calendar', () => {
  it.each<[string, string, Period, string, string, string]>([
    ['an hour', 'UTC', 'hour', '2026-01-31T12:34:56Z', '2026-01-31T12:00Z', '2026-01-31T13:00Z'],
    [
      'its first millisecond',
      'UTC',
      'hour',
      '2026-01-31T12:00:00Z',
      '2026-01-31T12:00Z',
      '2026-01-31T13:00Z',
    ],
    ['its last', 'UTC', 'hour', '2026-01-31T12:59:59.999Z', '2026-01-31T12:00Z', '2026-01-31T13:00Z'],
    [
      'an hour of Nepal',
      'Asia/Kathmandu',
      'hour',
      '2026-01-31T12:34:56Z',
      '2026-01-31T12:15Z',
      '2026-01-31T13:15Z',
    ],
    [
      'an hour shown twice',
      'Europe/Berlin',
      'hour',
      '2026-10-25T01:30:00Z',
      '2026-10-25T00:00Z',
      '2026-10-25T02:00Z',
    ],
    [
      'half an hour twice',
      'Australia/Lord_Howe',
      'hour',
      '2026-04-04T15:10:00Z',
      '2026-04-04T14:00Z',
      '2026-04-04T15:30Z',
    ],
    ['a day', 'Europe/Berlin', 'day', '2026-01-31T12:00:00Z', '2026-01-30T23:00Z', '2026-01-31T23:00Z'],
    [
      'a day of 23 hours',
      'Europe/Berlin',
      'day',
      '2026-03-29T12:00:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ],
    [
      'a day of 25 hours',
      'Europe/Berlin',
      'day',
      '2026-10-25T12:00:00Z',
      '2026-10-24T22:00Z',
      '2026-10-25T23:00Z',
    ],
    [
      'a day without midnight',
      'Africa/Cairo',
      'day',
      '2026-04-24T12:00:00Z',
      '2026-04-23T22:00Z',
      '2026-04-24T21:00Z',
    ],
    [
      'the day after one left out',
      'Pacific/Apia',
      'day',
      '2011-12-31T00:00:00Z',
      '2011-12-30T10:00Z',
      '2011-12-31T10:00Z',
    ],
    [
      'a month',
      'America/New_York',
      'month',
      '2026-03-15T12:00:00Z',
      '2026-03-01T05:00Z',
      '2026-04-01T04:00Z',
    ],
    ['a February', 'UTC', 'month', '2028-02-29T23:59:59Z', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
  ])('knows %s', (_, zone, period, time, start, end) => {
    expect(spanOf(zone, period, time)).toEqual([start, end]);
  });

  it.each([
    [15, '2026-02-14T23:59:59Z', '2026-01-15T00:00Z', '2026-02-15T00:00Z'],
    [15, '2026-02-15T00:00:00Z', '2026-02-15T00:00Z', '2026-03-15T00:00Z'],
    [31, '2026-02-10T00:00:00Z', '2026-01-31T00:00Z', '2026-02-28T00:00Z'],
    [31, '2026-02-28T00:00:00Z', '2026-02-28T00:00Z', '2026-03-31T00:00Z'],
    [30, '2028-02-29T00:00:00Z', '2028-02-29T00:00Z', '2028-03-30T00:00Z'],
    [31, '2026-04-30T12:00:00Z', '2026-04-30T00:00Z', '2026-05-31T00:00Z'],
  ])('starts months on day %d, or on the last day of a shorter one: %s', (day, time, start, end) => {
    expect(spanOf('UTC', 'month', time, day)).toEqual([start, end]);
  });

  it('answers for any order of times', () => {
    const calendar = new Calendar('Europe/Berlin', 1);
    for (const time of ['2026-10-25T01:30:00Z', '2026-01-01T00:00:00Z', '2026-10-25T02:00:00Z'])
      expect(calendar.spanOf('hour', Date.parse(time))).toEqual(
        new Calendar('Europe/Berlin', 1).spanOf('hour', Date.parse(time)),
      );
  });

  it.each([
    ['UTC', '2026-01-31', '2026-01-31T00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00Z'],
    ['Pacific/Pago_Pago', '2026-01-01', '2026-01-01T11:00Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z'], // begins at 01:00
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z'], // left out
  ])('knows when a date begins: %s %s', (zone, date, start) => {
    expect(new Date(calendarOf(zone).startOfDate(date))).toEqual(new Date(start));
  });

  it.each([
    ['UTC', 366],
    ['Europe/Berlin', 366],
    ['Australia/Lord_Howe', 366],
    ['Africa/Cairo', 366],
  ])('lists the days of a span as they are found one by one: %s', (zone, count) => {
    const calendar = calendarOf(zone);
    const from = calendar.startOfDate('2024-01-01');
    const days = calendar.daysIn(from + 1, calendar.startOfDate('2025-01-01') - 1);
    expect(days).toHaveLength(count + 1);
    for (const [index, start] of days.slice(0, -1).entries())
      expect(calendar.spanOf('day', start)).toEqual({ start, end: days[index + 1] });
  });

  it('lists no day that a zone left out', () => {
    const calendar = calendarOf('Pacific/Apia');
    const days = calendar.daysIn(Date.parse('2011-12-29T12:00Z'), Date.parse('2011-12-31T12:00Z'));
    expect(days.map((day) => new Date(day).toISOString().slice(0, 13))).toEqual([
      '2011-12-29T10',
      '2011-12-30T10',
      '2011-12-31T10',
      '2012-01-01T10',
    ]);
  });

  it('knows the names of time zones', () => {
    expect(['Europe/Berlin', 'UTC', 'Nowhere/City', ''].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
