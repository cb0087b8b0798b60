import { pointsOf, queryOf, shownKinds, sumOf } from './series';

const HOUR_MS = 3_600_000;

/** Hours that sent one message each. */
function hoursOf(now: string) {
  const { from, to } = queryOf('month', Date.parse(now));
  const count = (Date.parse(to) - Date.parse(from)) / HOUR_MS;
  return Array.from({ length: count }, (_, index) => ({
    at: new Date(Date.parse(from) + index * HOUR_MS).toISOString(),
    sent: 1,
    delivered: 0,
    failed: 0,
    cancelled: 0,
    suppressed: 0,
    received: 2,
  }));
}

describe('the series of the overview', () => {
  it('asks for the hour that has begun and the 23 before it', () => {
    expect(queryOf('day', Date.parse('2026-03-05T10:20:00Z'))).toEqual({
      from: '2026-03-04T11:00:00.000Z',
      to: '2026-03-05T11:00:00.000Z',
      bucket: 'hour',
    });
  });

  it('has thirty days of the chosen zone, with the hours that each has', () => {
    const points = pointsOf(hoursOf('2026-11-10T23:30:00Z'), 'month', 'Europe/Berlin');
    expect(points).toHaveLength(30);
    // Clocks went back on 25 October.
    expect(points.map(({ sent }) => sent)).toEqual([
      ...Array.from({ length: 12 }, () => 24),
      25,
      ...Array.from({ length: 16 }, () => 24),
      1,
    ]);
    expect(points.at(-1)?.at).toBe('2026-11-10T23:00:00.000Z');
    expect(sumOf(points)).toEqual({
      sent: 698,
      delivered: 0,
      failed: 0,
      cancelled: 0,
      suppressed: 0,
      received: 2 * 698,
    });
  });

  it('shows cancelled and suppressed messages apart from failed ones, if there are any', () => {
    const counts = { sent: 1, delivered: 1, failed: 0, cancelled: 0, suppressed: 0, received: 0 };
    expect(shownKinds(counts)).toEqual(['sent', 'delivered', 'failed', 'received']);
    expect(shownKinds({ ...counts, cancelled: 200 })).toContain('cancelled');
    expect(shownKinds({ ...counts, suppressed: 1 })).toContain('suppressed');
  });

  it.each(['UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Kiritimati'])(
    'has thirty whole days in %s at the end of a day',
    (zone) => {
      for (let hour = 0; hour < 24; hour += 1) {
        const now = new Date(Date.UTC(2026, 6, 15, hour, 59)).toISOString();
        const points = pointsOf(hoursOf(now), 'month', zone);
        expect(points).toHaveLength(30);
        expect(new Set(points.slice(0, -1).map(({ sent }) => sent))).toEqual(new Set([24]));
      }
    },
  );
});
