import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { Installation } from '../test/chaos/installation';
import { OwnStack } from '../test/chaos/own-stack';
import type { ServiceRole } from '../test/chaos/service-process';
import { figuresOf, type RowFigures } from './figures';
import { HttpClient } from './http-client';
import { LimitClient } from './limits/limit-client';
import { measure } from './measure';
import type { BenchOptions, RowName } from './options';
import { ProcessControl } from './process-control';
import { type ProfileSummary, summarise } from './profile';
import { Receiver } from './receiver';
import { Records } from './records';
import { ROWS } from './rows/rows';
import { settle } from './settle';
import type { Stage } from './stage';

const ROLES: readonly ServiceRole[] = ['api', 'worker', 'scheduler'];
const MOST_PROFILED = 25;

/** What a row came to, and where its time went as far as that was asked for. */
export interface RowResult {
  readonly figures: RowFigures;
  /** Database commands a unit, by their name and collection. */
  readonly commands?: Readonly<Record<string, number>>;
  /** By process. */
  readonly profiles?: ReadonlyMap<string, ProfileSummary>;
}

/** One run: starts a stack, the service and the process of the limits, measures the rows, and ends all it started. */
export class BenchRun {
  private readonly closing: (() => Promise<void> | void)[] = [];
  private readonly faults: string[] = [];
  private isClosing = false;

  constructor(
    private readonly options: BenchOptions,
    private readonly say: (text: string) => void,
  ) {}

  /** @throws when a row cannot be measured, or a process of the service ended by itself. */
  async run(): Promise<RowResult[]> {
    const database = `bench_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-bench', database);
    mkdirSync(folder, { recursive: true });
    this.closing.push(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    const stack = await OwnStack.start('bench');
    this.closing.push(() => stack.stop());
    const client = await new mongo.MongoClient(stack.mongodbUri).connect();
    this.closing.push(() => client.close());
    const limitDatabase = `${database}_limit`;
    this.closing.push(async () => {
      await client.db(database).dropDatabase();
      await client.db(limitDatabase).dropDatabase();
    });
    const receiver = await Receiver.start();
    this.closing.push(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ROLES,
      environment: {
        // All calls of a row are made with one key: the limit of requests a minute is not what is measured.
        RATE_LIMIT_PER_KEY: '0',
        ...(this.options.countsCommands && { BENCH_COMMANDS: '1' }),
      },
      nodeArguments: ['--require', join(__dirname, 'preload.cjs')],
      restartDelayMs: () => 0,
      onFault: (fault) => {
        if (!this.isClosing) this.faults.push(fault);
      },
    });
    this.closing.push(() => installation.stop('SIGTERM'));
    const [baseUrl = ''] = installation.apiUrls;
    const http = new HttpClient(baseUrl);
    this.closing.push(() => http.close());
    const limits = await LimitClient.start({
      mongodbUri: stack.mongodbUri,
      service: database,
      own: limitDatabase,
      receiverUrl: receiver.url,
    });
    this.closing.push(() => limits.stop());
    this.say(`${installation.processes.length} processes are up`);

    const stage: Stage = {
      http,
      receiver,
      records: new Records(client.db(database)),
      control: new ProcessControl(installation.processes, folder),
      stored: this.options.stored,
    };
    const results: RowResult[] = [];
    for (const name of this.options.rows) {
      const result = await this.measureRow(name, stage, limits);
      if (this.faults.length > 0) throw new Error(this.faults.join('\n'));
      const { perSecond, limitPerSecond, ratio } = result.figures;
      this.say(`${name}: ${perSecond} a second, the limit ${limitPerSecond}, ratio ${ratio}`);
      results.push(result);
    }
    return results;
  }

  /** Ends whatever the run has started. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const close of this.closing.splice(0).reverse()) {
      try {
        await close();
      } catch (failure) {
        this.say(`Could not be ended: ${String(failure)}`);
      }
    }
  }

  private async measureRow(name: RowName, stage: Stage, limits: LimitClient): Promise<RowResult> {
    const { control, records } = stage;
    const { isProfiled, countsCommands, seconds } = this.options;
    control.run(ROLES);
    await settle(records);
    this.say(`${name}: preparing`);
    const { owner, side, roles, end } = await ROWS[name].begin(stage);
    control.run(['api', ...roles]);
    const limit = await limits.begin(name, owner);
    this.say(`${name}: measuring`);
    const commands: Record<string, number> = {};
    const profiles = new Map<string, ProfileSummary>();
    let units = 0;
    const measured = await measure({ service: side, limit }, seconds, async (turn) => {
      if (countsCommands) await control.takeCommands(roles);
      // The last turn's profile stands for the others.
      if (isProfiled) await control.startProfiles(roles);
      const slice = await turn();
      units += slice.units;
      if (isProfiled) {
        for (const [process, profile] of await control.stopProfiles(roles)) {
          profiles.set(process, summarise(profile, MOST_PROFILED));
        }
      }
      if (countsCommands) {
        for (const [command, count] of Object.entries(await control.takeCommands(roles))) {
          commands[command] = (commands[command] ?? 0) + count;
        }
      }
      return slice;
    });
    await end?.();
    return {
      figures: figuresOf(name, measured),
      ...(countsCommands && {
        commands: Object.fromEntries(
          Object.entries(commands).map(([command, count]) => [command, count / units]),
        ),
      }),
      ...(isProfiled && { profiles }),
    };
  }
}
