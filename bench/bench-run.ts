import type { Build } from './builds';
import { figuresOf, type RowFigures } from './figures';
import { LimitClient } from './limits/limit-client';
import { measure } from './measure';
import type { BenchOptions, RowName } from './options';
import type { ProfileSummary } from './profile';
import type { ActiveRow } from './rows/row';
import { ROWS } from './rows/rows';
import { ServiceSide } from './service-side';
import { waitUntilSettled } from './wait-until-settled';
import type { RowContext } from './row-context';
import { createTenant, storeDeliveredMessages, type Tenant } from './tenant';
import { Tenants } from './tenants';
import { ROLES, type WorkbenchTools, type Workbench } from './workbench';

const DEVICES = 10;
const ACCOUNTS = 16;
const LIST_MESSAGES = 100_000;

/** The result of a row. */
export interface RowResult {
  /** The build that was measured. */
  readonly build: string;
  readonly figures: RowFigures;
  /** Database commands per unit, by name and collection. */
  readonly commands: Readonly<Record<string, number>>;
  /** Profiles by process. */
  readonly profiles: ReadonlyMap<string, ProfileSummary>;
}

/** A running build of the service. */
interface Service {
  readonly build: string;
  readonly context: RowContext;
}

/** A row that has begun on a service. */
interface StartedRow extends Service {
  readonly row: ActiveRow;
  readonly side: ServiceSide;
}

/** Measures each row on the service and on the bare driver in turns, and several builds of the service too. */
export class BenchRun {
  constructor(
    private readonly options: BenchOptions,
    private readonly builds: readonly Build[],
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  /** @throws if a row cannot be measured or a process of the service exits. */
  async run(): Promise<RowResult[]> {
    const { countsCommands, rows } = this.options;
    const services: Service[] = [];
    let tools: WorkbenchTools | undefined;
    for (const { build, dist } of this.builds) {
      tools = await this.workbench.start({ countsCommands, dist });
      services.push({ build, context: createContext(tools) });
    }
    if (!tools) throw new Error('There is no build to measure');
    // Of the last build, which is that of this checkout.
    const limits = await this.startLimits(tools);
    const results: RowResult[] = [];
    for (const name of rows) {
      results.push(...(await this.measureRow(name, services, limits)));
      this.workbench.check();
    }
    return results;
  }

  private async startLimits({
    client,
    database,
    mongodbUri,
    receiver,
  }: WorkbenchTools): Promise<LimitClient> {
    const own = `${database}_limit`;
    this.workbench.defer(() => client.db(own).dropDatabase());
    const limits = await LimitClient.start({
      mongodbUri,
      service: database,
      own,
      receiverUrl: receiver.url,
    });
    this.workbench.defer(() => limits.stop());
    return limits;
  }

  private async measureRow(
    name: RowName,
    services: readonly Service[],
    limits: LimitClient,
  ): Promise<RowResult[]> {
    const started: StartedRow[] = [];
    for (const service of services) {
      this.log(`${name}: preparing ${service.build}`);
      started.push(await this.startRow(name, service, services));
    }
    const owner = started.at(-1)?.row.owner;
    if (!owner) return [];
    const sides = { services: started.map(({ side }) => side), limit: await limits.start(name, owner) };
    const measurements = await measure(sides, this.options.seconds, (text) => {
      this.log(`${name}: ${text}`);
    });
    const results: RowResult[] = [];
    for (const [index, measurement] of measurements.entries()) {
      const row = started[index];
      if (!row) continue;
      const { commands, profiles } = row.side;
      results.push({ build: row.build, figures: figuresOf(name, measurement), commands, profiles });
      row.context.control.run(ROLES);
      await row.row.end?.();
    }
    return results;
  }

  private async startRow(
    name: RowName,
    { build, context }: Service,
    services: readonly Service[],
  ): Promise<StartedRow> {
    const pauseOthers = () => {
      for (const other of services) if (other.context !== context) other.context.control.run([]);
    };
    pauseOthers();
    context.control.run(ROLES);
    await waitUntilSettled(context.records);
    const row = await ROWS[name].start(context);
    const side = new ServiceSide(row, context.control, this.options, pauseOthers);
    return { build, context, row, side };
  }
}

/** Each row has its own accounts, except the two lists, which share theirs. */
function createContext({ http, records, control, receiver }: WorkbenchTools): RowContext {
  const createTenants = async (name: string) => {
    const first = await createTenant(records, name, DEVICES);
    const others: Tenant[] = [];
    while (others.length < ACCOUNTS - 1) others.push(await createTenant(records, name, DEVICES));
    return new Tenants([first, ...others]);
  };
  let listTenants: Promise<Tenants> | undefined;
  const createListTenants = async () => {
    const tenants = await createTenants('lists');
    for (const tenant of tenants.all) await storeDeliveredMessages(records, tenant, LIST_MESSAGES / ACCOUNTS);
    return tenants;
  };
  return {
    http,
    records,
    control,
    receiver,
    tenantOf: (row) => createTenant(records, row, DEVICES),
    tenantsOf: (row) => {
      if (row !== 'list_page' && row !== 'list_cursor') return createTenants(row);
      listTenants ??= createListTenants();
      return listTenants;
    },
  };
}
