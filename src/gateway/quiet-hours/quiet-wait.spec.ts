import fc from 'fast-check';
import { afterQuietHours, quietHoursStart } from './quiet-hours';
import { quietWait } from './quiet-wait';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NIGHT = { from: '21:00', to: '08:00' };
const BERLIN = '+4915112345678';
const at = (time: string) => new Date(time);

describe('quietHoursStart', () => {
  it.each([
    ['of a winter night', '2026-01-16T07:00:00Z', '2026-01-15T20:00:00Z'],
    ['of the night in which the clock is put forward', '2026-03-29T06:00:00Z', '2026-03-28T20:00:00Z'],
    ['of the night in which it is put back', '2026-10-25T07:00:00Z', '2026-10-24T19:00:00Z'],
  ])('is the start %s', (_, end, start) => {
    expect(quietHoursStart(NIGHT, BERLIN, undefined, at(end))).toEqual(at(start));
  });

  it('is a minute in which the hours begin, for any number with one zone', () => {
    const clock = (timeZone: string, time: Date) =>
      time.toLocaleTimeString('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
    const numbers = {
      'Europe/Berlin': BERLIN,
      'America/New_York': '+12125551234',
      'Asia/Calcutta': '+919876543210',
      'America/Sao_Paulo': '+5511987654321',
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(numbers)),
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2031, 0) }),
        ([zone, number], time) => {
          const end = afterQuietHours(NIGHT, number, undefined, new Date(time));
          if (end.getTime() === time) return;
          const start = quietHoursStart(NIGHT, number, undefined, end);
          expect(clock(zone, start)).toBe('21:00');
          expect(start.getTime()).toBeLessThanOrEqual(time);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('quietWait', () => {
  const wait = (dueAt: string, groupStart?: string, now = dueAt) =>
    quietWait(
      NIGHT,
      { number: BERLIN, dueAt: at(dueAt), ...(groupStart !== undefined && { groupStart: at(groupStart) }) },
      at(now),
    );

  it('is none by day', () => {
    expect(wait('2026-01-15T12:00:00Z')).toBeUndefined();
  });

  it('is until the end of the quiet hours', () => {
    const end = at('2026-01-16T07:00:00Z');
    expect(wait('2026-01-15T22:00:00Z')).toEqual({ endsAt: end, until: end });
  });

  it.each([
    ['that began before the quiet hours', '2026-01-15T19:00:00Z', '2026-01-15T20:10:00Z', 10],
    ['that began in the quiet hours', '2026-01-15T22:00:00Z', '2026-01-15T22:10:00Z', 10],
    ['of which only this wave was late', '2026-01-15T19:00:00Z', '2026-01-15T19:55:00Z', 0],
  ])('lets the waves of a group follow each other %s', (_, start, due, minutes) => {
    const until = at('2026-01-16T07:00:00Z').getTime() + minutes * MINUTE;
    expect(wait(due, start, '2026-01-15T23:00:00Z')?.until).toEqual(new Date(until));
  });

  it('keeps the distance of waves over a change of clocks', () => {
    const waves = ['2026-10-24T19:00:00Z', '2026-10-24T20:00:00Z', '2026-10-25T01:00:00Z'];
    const until = waves.map((due) => wait(due, '2026-10-24T18:00:00Z')?.until.getTime() ?? 0);
    expect(until.map((time) => (time - at('2026-10-25T07:00:00Z').getTime()) / HOUR)).toEqual([0, 1, 6]);
  });
});
