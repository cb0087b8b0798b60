import fc from 'fast-check';
import { afterQuietHours, afterQuietHoursIn, TIME_OF_DAY } from './quiet-hours';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NIGHT = { from: '21:00', to: '08:00' };
const BERLIN = '+4915112345678';

describe('afterQuietHours', () => {
  const after = (time: string, number: string, hours = NIGHT, fallbackZone?: string) =>
    afterQuietHours(hours, number, fallbackZone, new Date(time)).toISOString().replace('.000Z', 'Z');

  it.each([
    ['in the evening', '2026-01-15T20:00:00Z', BERLIN, '2026-01-16T07:00:00Z'],
    ['after midnight', '2026-01-16T03:12:34Z', BERLIN, '2026-01-16T07:00:00Z'],
    ['in its last second', '2026-01-16T06:59:59Z', BERLIN, '2026-01-16T07:00:00Z'],
    ['in summer', '2026-07-15T20:00:00Z', BERLIN, '2026-07-16T06:00:00Z'],
    [
      'in the night in which the clock is put forward',
      '2026-03-28T22:00:00Z',
      BERLIN,
      '2026-03-29T06:00:00Z',
    ],
    ['in the night in which it is put back', '2026-10-24T22:00:00Z', BERLIN, '2026-10-25T07:00:00Z'],
    ['in New York', '2026-01-15T12:00:00Z', '+12125551234', '2026-01-15T13:00:00Z'],
    ['in Los Angeles', '2026-01-15T12:00:00Z', '+14155551234', '2026-01-15T16:00:00Z'],
    ['in Nepal', '2026-01-15T18:00:00Z', '+9779812345678', '2026-01-16T02:15:00Z'],
    ['in the western one of two zones', '2026-01-15T17:30:00Z', '+19075551234', '2026-01-15T18:00:00Z'],
    ['in the eastern one of two zones', '2026-01-16T06:30:00Z', '+19075551234', '2026-01-16T18:00:00Z'],
    ['anywhere from Guam to Newfoundland', '2026-01-15T12:00:00Z', '+18005551234', '2026-01-15T22:00:00Z'],
  ])('waits for the end %s', (_, time, number, end) => {
    expect(after(time, number)).toBe(end);
  });

  it.each([
    ['by day', '2026-01-15T12:34:56Z', BERLIN],
    ['in its last minute', '2026-01-15T19:59:59Z', BERLIN],
    ['in its first', '2026-01-16T07:00:00Z', BERLIN],
    ['by day elsewhere', '2026-01-15T03:00:00Z', '+819012345678'],
  ])('does not wait %s', (_, time, number) => {
    expect(after(time, number)).toBe(time);
  });

  it('knows windows within a day, and empty ones', () => {
    const noon = { from: '12:00', to: '13:30' };
    expect(after('2026-01-15T11:15:00Z', BERLIN, noon)).toBe('2026-01-15T12:30:00Z');
    expect(after('2026-01-15T12:30:00Z', BERLIN, noon)).toBe('2026-01-15T12:30:00Z');
    expect(after('2026-01-15T12:00:00Z', BERLIN, { from: '00:00', to: '00:00' })).toBe(
      '2026-01-15T12:00:00Z',
    );
    expect(after('2026-01-15T12:00:00Z', BERLIN, { from: '13:00', to: '13:00' })).toBe(
      '2026-01-15T12:00:00Z',
    );
  });

  it('is not quiet in an hour that the clock leaves out, and twice in one that it shows twice', () => {
    const hour = { from: '02:00', to: '03:00' };
    expect(after('2026-03-29T01:00:00Z', BERLIN, hour)).toBe('2026-03-29T01:00:00Z');
    expect(after('2026-10-25T00:00:00Z', BERLIN, hour)).toBe('2026-10-25T02:00:00Z');
    expect(after('2026-10-25T00:10:00Z', BERLIN, { from: '02:00', to: '02:30' })).toBe(
      '2026-10-25T00:30:00Z',
    );
    expect(after('2026-03-28T23:00:00Z', BERLIN, { from: '23:00', to: '02:30' })).toBe(
      '2026-03-29T01:00:00Z',
    );
  });

  it('uses the other zone, or UTC, for numbers without a known zone', () => {
    expect(after('2026-01-15T20:30:00Z', '12345', NIGHT, 'Europe/Berlin')).toBe('2026-01-16T07:00:00Z');
    for (const zone of [undefined, '', 'Mars/Phobos']) {
      expect(after('2026-01-15T20:30:00Z', '12345', NIGHT, zone)).toBe('2026-01-15T20:30:00Z');
      expect(after('2026-01-15T21:30:00Z', '+870123456789', NIGHT, zone)).toBe('2026-01-16T08:00:00Z');
    }
  });

  it('uses the other zone if the zones of the number leave no time of the day', () => {
    const long = { from: '18:00', to: '09:00' };
    expect(after('2026-01-15T12:00:00Z', '+18005551234', long, 'America/New_York')).toBe(
      '2026-01-15T14:00:00Z',
    );
  });
});

describe('afterQuietHoursIn', () => {
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'Europe/London',
    'America/New_York',
    'America/St_Johns',
    'America/Santiago',
    'America/Havana',
    'Asia/Calcutta',
    'Asia/Katmandu',
    'Asia/Tokyo',
    'Africa/Cairo',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'Australia/Eucla',
    'Pacific/Chatham',
    'Pacific/Apia',
    'Pacific/Honolulu',
    'UTC',
  );
  const timeOfDay = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  /** Any time, or one within a day of a change of clocks in Europe, America or Australia. */
  const time = fc.oneof(
    fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2031, 0) }),
    fc
      .tuple(
        fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-04', '2026-10-03', '2026-10-25', '2026-11-01'),
        fc.integer({ min: -DAY, max: DAY }),
      )
      .map(([day, ms]) => Date.parse(day) + ms),
  );

  it('finds the same minute as a search minute by minute', () => {
    const clocks = new Map<string, Intl.DateTimeFormat>();
    const clockOf = (timeZone: string) => {
      const clock =
        clocks.get(timeZone) ??
        new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
      clocks.set(timeZone, clock);
      return clock;
    };
    const search = (zones: readonly string[], from: string, to: string, start: number) => {
      for (let at = start; at <= start + 2 * DAY; at += MINUTE - (at % MINUTE)) {
        const isQuiet = zones.some((each) => {
          const now = clockOf(each).format(at);
          return from <= to ? from <= now && now < to : from <= now || now < to;
        });
        if (!isQuiet) return new Date(at);
      }
      return undefined;
    };
    fc.assert(
      fc.property(
        fc.array(zone, { minLength: 1, maxLength: 3 }),
        timeOfDay,
        timeOfDay,
        time,
        (zones, from, to, start) => {
          const expected = search(zones, from, to, start);
          expect(afterQuietHoursIn(zones, { from, to }, new Date(start))).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('TIME_OF_DAY', () => {
  it.each(['00:00', '08:30', '19:59', '23:59'])('allows %s', (text) => {
    expect(text).toMatch(TIME_OF_DAY);
  });

  it.each(['24:00', '8:00', '08:60', '08:00:00', '08.00', ' 08:00', ''])('does not allow %j', (text) => {
    expect(text).not.toMatch(TIME_OF_DAY);
  });
});
