import type { Build } from './builds';
import { figuresOf, type RowFigures } from './figures';
import { LimitClient } from './limits/limit-client';
import { measure } from './measure';
import type { BenchOptions, RowName } from './options';
import { type ProfileSummary, summarise } from './profile';
import { ROWS } from './rows/rows';
import { waitUntilSettled } from './wait-until-settled';
import type { Slice } from './slice';
import type { RowContext } from './row-context';
import { createTenant, storeDeliveredMessages, type Tenant } from './tenant';
import { Tenants } from './tenants';
import { ROLES, type WorkbenchTools, type Workbench } from './workbench';

const DEVICES = 10;
const ACCOUNTS = 16;
const LIST_MESSAGES = 100_000;
const MAX_PROFILE_ENTRIES = 25;

/** The result of a row. */
export interface RowResult {
  /** The build that was measured. */
  readonly build: string;
  readonly figures: RowFigures;
  /** Database commands per unit, by name and collection. */
  readonly commands?: Readonly<Record<string, number>>;
  /** Profiles by process. */
  readonly profiles?: ReadonlyMap<string, ProfileSummary>;
}

/** Measures each row on the service and on the bare driver in turns, one build after the other. */
export class BenchRun {
  constructor(
    private readonly options: BenchOptions,
    private readonly builds: readonly Build[],
    private readonly workbench: Workbench,
    private readonly log: (text: string) => void,
  ) {}

  /** @throws if a row cannot be measured or a process of the service exits. */
  async run(): Promise<RowResult[]> {
    const results: RowResult[] = [];
    for (const build of this.builds) {
      results.push(...(await this.measureBuild(build)));
      await this.workbench.cleanUp();
    }
    const { rows } = this.options;
    return rows.flatMap((row) => results.filter(({ figures }) => figures.name === row));
  }

  private async measureBuild({ build, dist }: Build): Promise<RowResult[]> {
    const tools = await this.workbench.start({ countsCommands: this.options.countsCommands, dist });
    const { client, database, mongodbUri, receiver } = tools;
    const limitDatabase = `${database}_limit`;
    this.workbench.defer(() => client.db(limitDatabase).dropDatabase());
    const limits = await LimitClient.start({
      mongodbUri,
      service: database,
      own: limitDatabase,
      receiverUrl: receiver.url,
    });
    this.workbench.defer(() => limits.stop());
    const context = createContext(tools);
    const results: RowResult[] = [];
    for (const name of this.options.rows) {
      results.push({ build, ...(await this.measureRow(name, context, limits)) });
      this.workbench.check();
    }
    return results;
  }

  private async measureRow(
    name: RowName,
    context: RowContext,
    limits: LimitClient,
  ): Promise<Omit<RowResult, 'build'>> {
    const { control, records } = context;
    const { isProfiled, countsCommands, seconds, runsAllProcesses } = this.options;
    this.log(`${name}: preparing`);
    control.run(ROLES);
    await waitUntilSettled(records);
    const row = await ROWS[name].start(context);
    const { owner, side, roles } = row;
    if (!runsAllProcesses) control.run(['api', ...roles]);
    const limit = await limits.start(name, owner);
    const commands = new Map<string, number>();
    const profiles = new Map<string, ProfileSummary>();
    let units = 0;
    const observe = async (runTurn: () => Promise<Slice>) => {
      if (countsCommands) await control.takeCommands(roles);
      if (isProfiled) await control.startProfiles(roles);
      const slice = await runTurn();
      units += slice.units;
      // Keep the profile of the last turn.
      for (const [process, profile] of isProfiled ? await control.stopProfiles(roles) : []) {
        profiles.set(process, summarise(profile, MAX_PROFILE_ENTRIES));
      }
      const counts = countsCommands ? await control.takeCommands(roles) : {};
      for (const [command, count] of Object.entries(counts)) {
        commands.set(command, (commands.get(command) ?? 0) + count);
      }
      return slice;
    };
    const onTurn = (text: string) => {
      this.log(`${name}: ${text}`);
    };
    const measurement = await measure({ service: side, limit }, seconds, observe, onTurn);
    await row.end?.();
    return {
      figures: figuresOf(name, measurement),
      ...(countsCommands && {
        commands: Object.fromEntries([...commands].map(([command, count]) => [command, count / units])),
      }),
      ...(isProfiled && { profiles }),
    };
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
