import { planPhoneFaults } from './phone-fault-plan';
import { POOLS } from './phone-pools';
import { PHONES } from './phone-set';
import { SeededRandom } from './seeded-random';
import { planWork } from './work-plan';

const SIZE = { messages: 400, durationMs: 40_000 };
const planOf = (seed: number) => planWork(new SeededRandom(seed), PHONES, POOLS.length, SIZE);

describe('the plan of the chaos test', () => {
  it('is the same for a seed', () => {
    expect(planOf(1)).toEqual(planOf(1));
    expect(planOf(1)).not.toEqual(planOf(2));
  });

  it.each([1, 2, 3, 77, 1_000])('sends about a third of the messages to all pools (seed %i)', (seed) => {
    const pooled = planOf(seed).sends.filter(({ to }) => to.pool !== undefined);
    const share = pooled.reduce((sum, { recipients }) => sum + recipients.length, 0) / SIZE.messages;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.45);
    expect(new Set(pooled.map(({ to }) => to.pool)).size).toBe(POOLS.length);
  });

  it('names no phone whose faults would lose the messages', () => {
    const named = planOf(1).sends.flatMap(({ to }) => to.phone ?? []);
    expect(named.filter((phone) => PHONES[phone]?.isPooledOnly)).toEqual([]);
  });

  it('ends the faults of phones within the run', () => {
    const faults = planPhoneFaults(new SeededRandom(1), PHONES, SIZE.durationMs);
    expect(new Set(faults.map(({ fault }) => fault)).size).toBe(6);
    expect(Math.max(...faults.map(({ at, forMs }) => at + forMs))).toBeLessThan(SIZE.durationMs);
  });
});
