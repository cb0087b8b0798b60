import { ROW_NAMES, type RowName } from '../options';
import { ROWS } from '../rows/rows';
import { waitUntilSettled } from '../wait-until-settled';
import type { Side, Slice } from '../slice';
import { Tenants } from '../tenants';
import type { RowContext } from '../row-context';
import { createTenant, removeCreatedSince, storeDeliveredMessages, type Tenant } from '../tenant';
import { ROLES, type Workbench } from '../workbench';
import type { Growth, Series } from './growth';
import type { ScaleOptions } from './options';

/** One caller, to measure the cost of an operation instead of the throughput. */
const LANES = 1;
const TURNS = 3;
const WARM_UP_S = 0.5;
const INITIAL_RATE = 200;
const PREPARE_FACTOR = 1.5;
/** Minimum units of a row that is measured as one burst. */
const MIN_BURST = 500;

const DEVICES = 10;
const MESSAGES = 10_000;

/** Measures every row on a growing account. */
export class ScaleRun {
  constructor(
    private readonly options: ScaleOptions,
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  /** @throws if a row cannot be measured or a process of the service exits. */
  async run(): Promise<Growth[]> {
    const tools = await this.workbench.start();
    const { records } = tools;
    const contextOf = (tenant: Tenant): RowContext => ({
      ...tools,
      tenantOf: () => Promise.resolve(tenant),
      tenantsOf: () => Promise.resolve(new Tenants([tenant])),
    });

    // Warm up the JIT compiler with every row.
    await this.measureAll(contextOf(await createTenant(records, 'warm-up', 1)), 'warming up');

    const byDevices: Map<RowName, number>[] = [];
    for (const size of this.options.devices) {
      const tenant = await createTenant(records, 'devices', size);
      await storeDeliveredMessages(records, tenant, MESSAGES);
      byDevices.push(await this.measureAll(contextOf(tenant), `${size} devices`));
      await removeCreatedSince(records, tenant, new Date(0));
    }

    const byMessages: Map<RowName, number>[] = [];
    const tenant = await createTenant(records, 'messages', DEVICES);
    let stored = 0;
    for (const size of this.options.messages) {
      this.log(`${size} messages: storing`);
      await storeDeliveredMessages(records, tenant, size - stored);
      stored = size;
      byMessages.push(await this.measureAll(contextOf(tenant), `${size} messages`));
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

  private async measureAll(context: RowContext, label: string): Promise<Map<RowName, number>> {
    const costs = new Map<RowName, number>();
    for (const row of ROW_NAMES) {
      const cost = await this.measureCost(row, context);
      this.workbench.check();
      this.log(`${label}: ${row} ${cost.toFixed(2)} ms`);
      costs.set(row, cost);
    }
    return costs;
  }

  /** @returns milliseconds per unit in the best of several turns, because other load only adds time. */
  private async measureCost(name: RowName, context: RowContext): Promise<number> {
    const { control, records } = context;
    const startedAt = new Date();
    const row = await ROWS[name].start(context);
    control.run(['api', ...row.roles]);
    let lowestCost = costOfSlice(await slice(row.side, WARM_UP_S, INITIAL_RATE));
    const length = this.options.seconds / TURNS;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const units = Math.max(MIN_BURST, (length * 1_000) / lowestCost);
      lowestCost = Math.min(lowestCost, costOfSlice(await slice(row.side, length, units)));
    }
    await row.end?.();
    control.run(ROLES);
    await waitUntilSettled(records);
    await removeCreatedSince(records, await context.tenantOf(name), startedAt);
    return lowestCost;
  }
}

function costOfSlice({ units, seconds }: Slice): number {
  return (seconds * 1_000) / units;
}

async function slice(side: Side, seconds: number, units: number): Promise<Slice> {
  await side.prepare(Math.ceil(units * PREPARE_FACTOR));
  return side.run(seconds, LANES);
}

function seriesOf(costs: readonly ReadonlyMap<RowName, number>[]): Series[] {
  return ROW_NAMES.map((row) => ({ row, costs: costs.map((of) => of.get(row) ?? Number.NaN) }));
}
