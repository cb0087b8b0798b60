import { Logger } from '@nestjs/common';
import { PoolWorld, worldCount } from '../../../test/support/pool-world';

describe('a pool over time', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  it('exceeds no limit, uses no SIM that may not send, and lets nothing wait that could go', async () => {
    const failures: string[] = [];
    const totals: Record<string, number> = {};
    for (let seed = 1; seed <= worldCount(); seed++) {
      const world = new PoolWorld(seed);
      await world.run().catch((failure: unknown) => {
        failures.push(`seed ${seed}: ${failure instanceof TypeError ? failure.stack : String(failure)}`);
      });
      for (const [what, count] of Object.entries(world.seen)) totals[what] = (totals[what] ?? 0) + count;
    }
    expect(failures).toEqual([]);
    // Otherwise the worlds would show nothing.
    for (const [what, count] of Object.entries(totals)) expect([what, count > 20]).toEqual([what, true]);
  });
});
