import { PoolWorld, worldCount } from '../../../test/support/pool-world';

import { Logger } from '@nestjs/common';
beforeAll(() => Logger.overrideLogger(false));
describe('a pool over time', () => {
  const run = async (seed: number) => {
    const world = new PoolWorld(seed);
    try {
      await world.run();
    } catch (failure) {
      return { seen: world.seen, failure: `seed ${seed}: ${failure instanceof TypeError ? (failure.stack ?? '') : String(failure)}` };
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
    const kinds: Record<string, string[]> = {};
    for (const f of failures) { const k = f.replace(/seed \d+: Error: \S+ message \d+ \(\d+ parts\)/,'').replace(/\(\{.*?\}\)/g,'').replace(/\d+/g,'#').slice(0,200); (kinds[k] ??= []).push(f); }
    console.log(totals, failures.length, Object.entries(kinds).map(([k,v])=>`${v.length} x ${k}\n    ${v.slice(0,3).join('\n    ')}`).join('\n'));
    expect(failures.length).toBe(0);
  });
});
