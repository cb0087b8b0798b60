import fc from 'fast-check';
import { messageMs, planWaves } from './wave-plan';

const LIMITS = { waveMs: 5_000, waveSize: 50 };
const run = (count: number, messageMs: number, parts = 1) => [{ count, parts, messageMs }];

describe('messageMs', () => {
  it.each([
    ['the delay of the phone', 1, { smsSendDelaySeconds: 5 }, 5_000],
    ['one second for a delay of 0', 1, { smsSendDelaySeconds: 0, partsPerMinute: null }, 1_000],
    ['24 parts a minute if the phone sets no limit', 1, { smsSendDelaySeconds: 1 }, 2_500],
    ['its parts, if they take longer than the delay', 4, { smsSendDelaySeconds: 5 }, 10_000],
    ['the limit of the phone', 4, { smsSendDelaySeconds: 1, partsPerMinute: 60 }, 4_000],
    ['the delay, if the phone has no limit', 24, { smsSendDelaySeconds: 2, partsPerMinute: null }, 2_000],
  ])('is %s', (_rule, parts, pace, expected) => {
    expect(messageMs(parts, pace)).toBe(expected);
  });
});

describe('planWaves', () => {
  it.each([
    ['a minute of parts', [{ count: 8, parts: 3, messageMs: 5_000 }], 24],
    ['one message, however long it is', [{ count: 1, parts: 24, messageMs: 144_000 }], 10],
    ['up to the size of a wave, if the lane takes any number of parts', run(50, 5_000, 9), null],
  ])('keeps what fits into one wave together, however long it takes: %s', (_case, runs, partsPerMinute) => {
    const plan = planWaves(runs, LIMITS, partsPerMinute);
    expect(plan.waves).toEqual([{ size: runs[0]?.count, offsetMs: 0 }]);
  });

  it.each([
    ['more parts than in a minute, of few messages', [...run(20, 22_500, 9)], 24, 20],
    ['one part more than in a minute', [...run(7, 7_500, 3), ...run(2, 5_000, 2)], 24, 9],
    ['more messages than a wave has', run(51, 5_000), null, 51],
  ])('splits %s', (_case, runs, partsPerMinute, waves) => {
    expect(planWaves(runs, LIMITS, partsPerMinute).waves.length).toBe(waves);
  });

  it.each([
    ['five at one second', 1_000, 5, 5_000],
    ['two at two seconds', 2_000, 2, 4_000],
    ['one at a time, if each takes longer', 7_500, 1, 7_500],
  ])('fills waves with what the phone sends in five seconds: %s', (_case, each, size, gapMs) => {
    const waves = Array.from({ length: 100 / size }, (_, wave) => ({ size, offsetMs: wave * gapMs }));
    expect(planWaves(run(100, each), LIMITS, 24)).toEqual({ waves, durationMs: 100 * each });
  });

  it('has at most the configured number of messages in a wave', () => {
    const plan = planWaves(run(120, 1_000), { waveMs: 3_600_000, waveSize: 50 }, 24);
    expect(plan.waves.map(({ size }) => size)).toEqual([50, 50, 20]);
    expect(plan.waves.map(({ offsetMs }) => offsetMs)).toEqual([0, 50_000, 100_000]);
  });

  it('gives a long message a wave of its own, and does not slow down the others', () => {
    const runs = [...run(30, 2_500), ...run(1, 60_000, 24), ...run(30, 2_500)];
    const { waves } = planWaves(runs, LIMITS, 24);
    expect(waves.map(({ size }) => size)).toEqual([
      ...Array.from({ length: 15 }, () => 2),
      1,
      ...Array.from({ length: 15 }, () => 2),
    ]);
    expect(waves.slice(14, 17).map(({ offsetMs }) => offsetMs)).toEqual([70_000, 75_000, 135_000]);
  });

  it('never hands the phone more than it sends until the next wave, and loses no message', () => {
    const anyRun = fc.record({
      count: fc.integer({ min: 1, max: 20 }),
      parts: fc.integer({ min: 1, max: 24 }),
      messageMs: fc.integer({ min: 1, max: 60_000 }),
    });
    const limits = fc.record({
      waveMs: fc.integer({ min: 1_000, max: 20_000 }),
      waveSize: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(anyRun, { minLength: 1, maxLength: 8 }), limits, (runs, bounds) => {
        const { waves, durationMs } = planWaves(runs, bounds, 24);
        const times = runs.flatMap(({ count, messageMs: each }) => Array.from({ length: count }, () => each));
        expect(waves.reduce((sum, { size }) => sum + size, 0)).toBe(times.length);
        const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
        let position = 0;
        const wrong = waves.filter(({ size, offsetMs }) => {
          const isInTime = offsetMs === sum(times.slice(0, position));
          const usedMs = sum(times.slice(position, (position += size)));
          const isSmall = size === 1 || (size <= bounds.waveSize && usedMs <= bounds.waveMs);
          return size === 0 || !isInTime || (waves.length > 1 && !isSmall);
        });
        expect(wrong).toEqual([]);
        expect(durationMs).toBe(sum(times));
      }),
    );
  });
});
