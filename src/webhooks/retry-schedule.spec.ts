import { MOST_ATTEMPTS, nextAttemptAt, readRetryAfter } from './retry-schedule';

const HOUR = 3_600_000;
const now = new Date('2026-01-31T12:00:00.000Z');

describe('the retry schedule', () => {
  const gapAfter = (made: number, chance = 0, retryAfterMs = 0) => {
    const next = nextAttemptAt(made, now, chance, retryAfterMs);
    return next && next.getTime() - now.getTime();
  };

  it('has ten attempts, over 75 hours and 35 minutes', () => {
    const gaps = Array.from({ length: MOST_ATTEMPTS }, (_, made) => gapAfter(made) ?? Number.NaN);
    expect(MOST_ATTEMPTS).toBe(10);
    expect(gaps[0]).toBe(0);
    expect(gaps.reduce((sum, gap) => sum + gap)).toBe(75 * HOUR + 35 * 60_000 + 5_000);
    expect(gapAfter(MOST_ATTEMPTS)).toBeUndefined();
  });

  it('moves each gap by a tenth at most', () => {
    expect([gapAfter(4, -1), gapAfter(4, 1)]).toEqual([6_480_000, 7_920_000]);
  });

  it('is lengthened by what the receiver asks for, by a day at most, and never shortened', () => {
    expect(gapAfter(1, 0, 60_000)).toBe(60_000);
    expect(gapAfter(1, 0, 1)).toBe(5_000);
    expect(gapAfter(1, 0, 99 * HOUR)).toBe(24 * HOUR);
  });

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['-5', 0],
    ['1.5', 0],
    ['soon', 0],
    ['2026-02-01', 0],
    ['', 0],
    [undefined, 0],
  ])('reads Retry-After %p as %d ms', (header, milliseconds) => {
    expect(readRetryAfter(header, now)).toBe(milliseconds);
  });
});
