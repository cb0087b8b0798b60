import { figuresOf, type RowFigures } from './figures';
import { LimitClient } from './limits/limit-client';
import { measure } from './measure';
import type { BenchOptions, RowName } from './options';
import { type ProfileSummary, summarise } from './profile';
import { ROWS } from './rows/rows';
import { settle } from './settle';
import type { Slice } from './slice';
import type { Stage } from './stage';
import { makeTenant, storeDelivered, type Tenant } from './tenant';
import { ROLES, type Tools, type Workbench } from './workbench';

const DEVICES = 10;
const STORED_FOR_LISTS = 100_000;
const MAX_PROFILED = 25;

/** What a row came to, and where its time went as far as that was asked for. */
export interface RowResult {
  readonly figures: RowFigures;
  /** Database commands a unit, by their name and collection. */
  readonly commands?: Readonly<Record<string, number>>;
  /** By process. */
  readonly profiles?: ReadonlyMap<string, ProfileSummary>;
}

/** One run: each row, the service in turns with the bare driver. */
export class BenchRun {
  constructor(
    private readonly options: BenchOptions,
    private readonly workbench: Workbench,
    private readonly say: (text: string) => void,
  ) {}

  /** @throws when a row cannot be measured, or a process of the service ended by itself. */
  async run(): Promise<RowResult[]> {
    const tools = await this.workbench.start(this.options.countsCommands);
    const { client, database, mongodbUri, receiver } = tools;
    const own = `${database}_limit`;
    this.workbench.endWith(() => client.db(own).dropDatabase());
    const limits = await LimitClient.start({
      mongodbUri,
      service: database,
      own,
      receiverUrl: receiver.url,
    });
    this.workbench.endWith(() => limits.stop());
    const stage = stageOf(tools);
    const results: RowResult[] = [];
    for (const name of this.options.rows) {
      results.push(await this.measureRow(name, stage, limits));
      this.workbench.check();
    }
    return results;
  }

  private async measureRow(name: RowName, stage: Stage, limits: LimitClient): Promise<RowResult> {
    const { control, records } = stage;
    const { isProfiled, countsCommands, seconds, isTogether } = this.options;
    this.say(`${name}: preparing`);
    control.run(ROLES);
    await settle(records);
    const row = await ROWS[name].begin(stage);
    const { owner, side, roles } = row;
    if (!isTogether) control.run(['api', ...roles]);
    const limit = await limits.begin(name, owner);
    const commands = new Map<string, number>();
    const profiles = new Map<string, ProfileSummary>();
    let units = 0;
    const lookedAt = async (turn: () => Promise<Slice>) => {
      if (countsCommands) await control.takeCommands(roles);
      if (isProfiled) await control.startProfiles(roles);
      const slice = await turn();
      units += slice.units;
      // The last turn's profile stands for the others.
      for (const [process, profile] of isProfiled ? await control.stopProfiles(roles) : []) {
        profiles.set(process, summarise(profile, MAX_PROFILED));
      }
      const counts = countsCommands ? await control.takeCommands(roles) : {};
      for (const [command, count] of Object.entries(counts)) {
        commands.set(command, (commands.get(command) ?? 0) + count);
      }
      return slice;
    };
    const onTurn = (text: string) => {
      this.say(`${name}: ${text}`);
    };
    const measured = await measure({ service: side, limit }, seconds, lookedAt, onTurn);
    await row.end?.();
    return {
      figures: figuresOf(name, measured),
      ...(countsCommands && {
        commands: Object.fromEntries([...commands].map(([command, count]) => [command, count / units])),
      }),
      ...(isProfiled && { profiles }),
    };
  }
}

/** Each row has an account of its own, so that rows do not add to each other's records; both lists read the same one. */
function stageOf({ http, records, control, receiver }: Tools): Stage {
  let listed: Promise<Tenant> | undefined;
  const makeListed = async () => {
    const tenant = await makeTenant(records, 'lists', DEVICES);
    await storeDelivered(records, tenant, STORED_FOR_LISTS);
    return tenant;
  };
  return {
    http,
    records,
    control,
    receiver,
    tenantOf: (row) => {
      if (row !== 'list_page' && row !== 'list_cursor') return makeTenant(records, row, DEVICES);
      listed ??= makeListed();
      return listed;
    },
  };
}
