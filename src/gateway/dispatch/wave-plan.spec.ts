import fc from 'fast-check';
import { messageMs, planWaves } from './wave-plan';

const LIMITS = { waveMs: 5_000, waveSize: 50 };

describe('messageMs', () => {
  it.each([
    ['the delay of the phone', 1, { smsSendDelaySeconds: 5 }, 5_000],
    ['one second for a delay of 0', 1, { smsSendDelaySeconds: 0, partsPerMinute: 0 }, 1_000],
    ['24 parts a minute if the phone sets no limit', 1, { smsSendDelaySeconds: 1 }, 2_500],
    ['its parts, if they take longer than the delay', 4, { smsSendDelaySeconds: 5 }, 10_000],
    ['the limit of the phone', 4, { smsSendDelaySeconds: 1, partsPerMinute: 60 }, 4_000],
    ['the delay, if the phone has no limit', 24, { smsSendDelaySeconds: 2, partsPerMinute: 0 }, 2_000],
  ])('is %s', (_rule, parts, pace, expected) => {
    expect(messageMs(parts, pace)).toBe(expected);
  });
});

describe('planWaves', () => {
  it('keeps what fits into one wave together, however long it takes', () => {
    expect(planWaves([{ count: 50, messageMs: 5_000 }], LIMITS)).toEqual({
      sizes: [50],
      gapMs: 250_000,
      durationMs: 250_000,
    });
  });

  it.each([
    ['five at one second', 1_000, 5, 5_000],
    ['two at two seconds', 2_000, 2, 4_000],
    ['one at a time, if each takes longer', 7_500, 1, 7_500],
  ])('fills waves with what the phone sends in five seconds: %s', (_case, each, size, gapMs) => {
    const plan = planWaves([{ count: 100, messageMs: each }], LIMITS);
    expect(plan).toEqual({
      sizes: Array.from({ length: 100 / size }, () => size),
      gapMs,
      durationMs: 100 * each,
    });
  });

  it('has at most the configured number of messages in a wave', () => {
    const plan = planWaves([{ count: 120, messageMs: 1_000 }], { waveMs: 3_600_000, waveSize: 50 });
    expect(plan).toEqual({ sizes: [50, 50, 20], gapMs: 50_000, durationMs: 120_000 });
  });

  it('never hands the phone more than it sends until the next wave, and loses no message', () => {
    const run = fc.record({
      count: fc.integer({ min: 1, max: 20 }),
      messageMs: fc.integer({ min: 1, max: 60_000 }),
    });
    const limits = fc.record({
      waveMs: fc.integer({ min: 1_000, max: 20_000 }),
      waveSize: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 8 }), limits, (runs, bounds) => {
        const { sizes, gapMs, durationMs } = planWaves(runs, bounds);
        const times = runs.flatMap(({ count, messageMs: each }) => Array.from({ length: count }, () => each));
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(times.length);
        const waves = sizes.map((size) => times.splice(0, size));
        const longest = Math.max(bounds.waveMs, ...runs.map(({ messageMs: each }) => each));
        const sum = (wave: readonly number[]) => wave.reduce((total, each) => total + each, 0);
        const isValid = (wave: readonly number[]) =>
          wave.length > 0 && wave.length <= bounds.waveSize && sum(wave) <= gapMs;
        expect(waves.filter((wave) => !isValid(wave))).toEqual([]);
        if (waves.length > 1) expect(gapMs).toBeLessThanOrEqual(longest);
        expect(durationMs).toBe((waves.length - 1) * gapMs + sum(waves.at(-1) ?? []));
      }),
    );
  });
});
