import { MAX_ATTEMPTS, nextAttemptAt, readRetryAfter } from './retry-schedule';

const HOUR = 3_600_000;
const now = new Date('2026-01-31T12:00:00.000Z');

describe('the retry schedule', () => {
  const delayAfter = (made: number, chance = 0, retryAfterMs = 0) => {
    const next = nextAttemptAt(made, now, chance, retryAfterMs);
    return next && next.getTime() - now.getTime();
  };

  it('has ten attempts over 75 hours, 35 minutes and 5 seconds', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS }, (_, made) => delayAfter(made) ?? Number.NaN);
    expect(MAX_ATTEMPTS).toBe(10);
    expect(delays[0]).toBe(0);
    expect(delays.reduce((sum, delay) => sum + delay)).toBe(75 * HOUR + 35 * 60_000 + 5_000);
    expect(delayAfter(MAX_ATTEMPTS)).toBeUndefined();
  });

  it('applies a jitter of at most 10 %', () => {
    expect([delayAfter(4, -1), delayAfter(4, 1)]).toEqual([6_480_000, 7_920_000]);
  });

  it('is lengthened by Retry-After, up to 24 hours, and never shortened', () => {
    expect(delayAfter(1, 0, 60_000)).toBe(60_000);
    expect(delayAfter(1, 0, 1)).toBe(5_000);
    expect(delayAfter(1, 0, 99 * HOUR)).toBe(24 * HOUR);
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
