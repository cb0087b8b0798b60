import { parseArgs } from 'node:util';
import { buildsOf } from '../builds';
import { runWithWorkbench } from '../program';
import { capacityFor } from './capacity';
import { CapacityBench } from './capacity-bench';
import { capacityTables } from './capacity-table';

const RATES = [10, 30, 60];
const MONTHLY = [10_000, 100_000, 1_000_000, 10_000_000, 30_000_000, 100_000_000];

/** Measures what messages and phones cost here, and prints what an installation needs for up to a hundred million messages a month. */
runWithWorkbench(async (workbench, log) => {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const [build] = buildsOf(undefined);
  if (!build) return;
  const costs = await new CapacityBench(RATES, build, workbench, log).run();
  const rows = MONTHLY.map((messages) => capacityFor(costs, messages));
  process.stdout.write(
    values.json ? `${JSON.stringify({ costs, rows })}\n` : `\n${capacityTables(costs, rows)}\n`,
  );
});
