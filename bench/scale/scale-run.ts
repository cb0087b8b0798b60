import { ROW_NAMES, type RowName } from '../options';
import { ROWS } from '../rows/rows';
import { settle } from '../settle';
import type { Side, Slice } from '../slice';
import type { Stage } from '../stage';
import { makeTenant, removeSince, storeDelivered, type Tenant } from '../tenant';
import { ROLES, type Workbench } from '../workbench';
import type { Growth, Series } from './growth';
import type { ScaleOptions } from './options';

/** One caller at a time: what a single operation costs, not how many the machine can take. */
const LANES = 1;
const TURNS = 3;
const WARM_UP_S = 0.5;
const FIRST_GUESS = 200;
const SPARE = 1.5;
/** A burst that is measured as a whole: large enough that its beginning and end do not weigh. */
const MIN_BURST = 500;

const DEVICES = 10;
const MESSAGES = 10_000;

/** Measures every row on one account while it grows. */
export class ScaleRun {
  constructor(
    private readonly options: ScaleOptions,
    private readonly workbench: Workbench,
    private readonly say: (text: string) => void,
  ) {}

  /** @throws when a row cannot be measured, or a process of the service ended by itself. */
  async run(): Promise<Growth[]> {
    const tools = await this.workbench.start(false);
    const { records } = tools;
    const stageOn = (tenant: Tenant): Stage => ({ ...tools, tenantOf: () => Promise.resolve(tenant) });

    // The JIT compiler is done with every row before the first that counts.
    await this.measureAll(stageOn(await makeTenant(records, 'warm-up', 1)), 'warming up');

    const byDevices: Map<RowName, number>[] = [];
    for (const size of this.options.devices) {
      const tenant = await makeTenant(records, 'devices', size);
      await storeDelivered(records, tenant, MESSAGES);
      byDevices.push(await this.measureAll(stageOn(tenant), `${size} devices`));
      await removeSince(records, tenant, new Date(0));
    }

    const byMessages: Map<RowName, number>[] = [];
    const tenant = await makeTenant(records, 'messages', DEVICES);
    let stored = 0;
    for (const size of this.options.messages) {
      this.say(`${size} messages: storing them`);
      await storeDelivered(records, tenant, size - stored);
      stored = size;
      byMessages.push(await this.measureAll(stageOn(tenant), `${size} messages`));
    }
    return [
      {
        axis: 'stored messages',
        fixed: `${DEVICES} devices`,
        sizes: this.options.messages,
        series: seriesOf(byMessages),
      },
      {
        axis: 'devices of the account',
        fixed: `${MESSAGES.toLocaleString('en')} stored messages`,
        sizes: this.options.devices,
        series: seriesOf(byDevices),
      },
    ];
  }

  private async measureAll(stage: Stage, what: string): Promise<Map<RowName, number>> {
    const costs = new Map<RowName, number>();
    for (const row of ROW_NAMES) {
      const cost = await this.costOf(row, stage);
      this.workbench.check();
      this.say(`${what}: ${row} ${cost.toFixed(2)} ms`);
      costs.set(row, cost);
    }
    return costs;
  }

  /** @returns milliseconds a unit, in the best of a few turns: what disturbs the machine only ever adds. */
  private async costOf(name: RowName, stage: Stage): Promise<number> {
    const { control, records } = stage;
    const begun = new Date();
    const row = await ROWS[name].begin(stage);
    control.run(['api', ...row.roles]);
    let best = costOfSlice(await slice(row.side, WARM_UP_S, FIRST_GUESS));
    const length = this.options.seconds / TURNS;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const units = Math.max(MIN_BURST, (length * 1_000) / best);
      best = Math.min(best, costOfSlice(await slice(row.side, length, units)));
    }
    await row.end?.();
    control.run(ROLES);
    await settle(records);
    await removeSince(records, await stage.tenantOf(name), begun);
    return best;
  }
}

function costOfSlice({ units, seconds }: Slice): number {
  return (seconds * 1_000) / units;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * SPARE));
  return side.run(seconds, LANES);
}

function seriesOf(costs: readonly ReadonlyMap<RowName, number>[]): Series[] {
  return ROW_NAMES.map((row) => ({ row, costs: costs.map((of) => of.get(row) ?? Number.NaN) }));
}
