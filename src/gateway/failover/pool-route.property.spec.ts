import { PoolWorld, worldCount } from '../../../test/support/pool-world';

describe('a pool over time', () => {
  const run = async (seed: number) => {
    const world = new PoolWorld(seed);
    try {
      await world.run();
    } catch (failure) {
      return { seen: world.seen, failure: `seed ${seed}: ${failure instanceof Error ? (failure.stack ?? '') : String(failure)}` };
    }
    return { seen: world.seen };
  };

  it('exceeds no limit, uses no SIM that may not send, and lets nothing wait that could go', async () => {
    const failures: string[] = [];
    const totals: Record<string, number> = {};
    for (let seed = 0; seed < worldCount(); seed++) {
      const { seen, failure } = await run(seed);
      if (failure) failures.push(failure);
      for (const [what, count] of Object.entries(seen)) totals[what] = (totals[what] ?? 0) + count;
    }
    console.log(totals, failures.length);
    expect(failures).toEqual([]);
  });
});
