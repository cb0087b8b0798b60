import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeFrom } from 'messaging-gateway-local-stack/home';
import { startLocalStack, stopLocalStack } from 'messaging-gateway-local-stack';
import { isRunning } from 'messaging-gateway-local-stack/processes';
import { readState } from 'messaging-gateway-local-stack/state-file';
import type { Kill } from './kill-plan';
import type { ChaosOptions } from './options';
import { ClusterFaults } from './cluster-faults';
import { isRedisFault, type RedisFaults } from './redis-faults';
import { isReplicaSetFault, REPLICA_SET_FAULTS, ReplicaSetFaults } from './replica-set-faults';
import { SentinelFaults } from './sentinel-faults';

/** An outage of a part of the stack, in epoch milliseconds; without an end it continues. */
interface Outage {
  readonly from: number;
  to?: number;
}

export type StackKill = Extract<Kill, `database${string}` | `Redis ${string}` | 'everything'>;

/** The database, alone or as a replica set, and Redis, alone or of several nodes, of a run. Only those that the run has started can be killed. */
export class OwnStack {
  private readonly outages: Outage[] = [];
  private lastOutage: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    /** Of the database itself, also with a replica set. */
    readonly mongodbUri: string,
    /** Empty with several nodes. */
    readonly redisUrl: string,
    private readonly redisFaults?: RedisFaults,
    private readonly replicaSetFaults?: ReplicaSetFaults,
  ) {}

  /** Starts a stack, except for servers that MONGODB_URI and REDIS_URL name. @throws StackUnavailable */
  static async start(
    name: string,
    { redis, database }: Partial<Pick<ChaosOptions, 'redis' | 'database'>> = {},
  ): Promise<OwnStack> {
    const shared = homeFrom(process.env);
    const faults = await redisFaultsOf(redis);
    const env = {
      LOCAL_STACK_HOME: `${shared.path}-${name}`,
      LOCAL_STACK_PROGRAMS: shared.programs,
      MONGODB_URI: process.env.MONGODB_URI,
      ...(faults?.environment ?? { REDIS_URL: process.env.REDIS_URL }),
    };
    const { mongodbUri, redisUrl } = await startLocalStack(env);
    const ofSet = database === 'replica-set' ? await ReplicaSetFaults.start(mongodbUri) : undefined;
    return new OwnStack(env, mongodbUri, redisUrl, faults, ofSet);
  }

  get ownsDatabase(): boolean {
    return !this.env.MONGODB_URI;
  }

  /** Whether it has started a single Redis. */
  get ownsRedis(): boolean {
    return !this.env.REDIS_URL && !this.redisFaults;
  }

  /** The settings of the service that say where the database and Redis are. */
  get environment(): Readonly<Record<string, string>> {
    return {
      MONGODB_URI: this.replicaSetFaults?.uri ?? this.mongodbUri,
      ...(this.redisFaults?.environment ?? { REDIS_URL: this.redisUrl }),
    };
  }

  /** Texts on the command lines of the database processes; empty if the run has not started them. */
  databaseProcessMarks(): string[] {
    const { processTag, mongodbData } = this.home();
    return this.ownsDatabase ? [processTag, mongodbData] : [];
  }

  /** The kills of servers that the run has started. */
  supportedKills(): StackKill[] {
    const hasProxy = readState(this.home().stateFile).mongodb?.proxy !== undefined;
    return [
      ...(this.redisFaults?.faults ?? []),
      ...(this.replicaSetFaults ? REPLICA_SET_FAULTS : []),
      ...(this.ownsRedis ? (['Redis with its data', 'Redis away while all are asked to stop'] as const) : []),
      ...(this.ownsDatabase ? (['database', 'database away while all are asked to stop'] as const) : []),
      ...(this.ownsDatabase && hasProxy ? (['database server', 'database proxy'] as const) : []),
      ...(this.ownsRedis && this.ownsDatabase ? (['everything'] as const) : []),
    ];
  }

  /**
   * Kills a part with `kill -9` and restarts it later. Outages do not overlap.
   * @param onDown called when the part is down.
   */
  async kill(kill: StackKill, downMs: number, onDown?: () => void): Promise<void> {
    const before = this.lastOutage;
    const done = before.then(() => this.killNow(kill, downMs, onDown));
    this.lastOutage = done.catch(() => undefined);
    await done;
  }

  /** Whether there was an outage since `from` or shortly before. */
  wasDownSince(from: number): boolean {
    const RECOVERY_MS = 5_000;
    return this.outages.some(({ to }) => to === undefined || to + RECOVERY_MS >= from);
  }

  async stop(): Promise<void> {
    await this.lastOutage;
    await this.replicaSetFaults?.stop();
    await stopLocalStack(this.env);
    await this.redisFaults?.stop();
  }

  private async killNow(kill: StackKill, downMs: number, onAway?: () => void): Promise<void> {
    const outage: Outage = { from: Date.now() };
    this.outages.push(outage);
    const injected = this.injectFault(kill, downMs);
    if (injected) {
      await injected;
      outage.to = Date.now();
      return;
    }
    const home = this.home();
    const { mongodb, redis } = readState(home.stateFile);
    const isEverything = kill === 'everything';
    const isDatabase =
      isEverything || kill === 'database' || kill === 'database away while all are asked to stop';
    if (mongodb && (isDatabase || kill === 'database server')) {
      await killAndWait(mongodb.server.pid, mongodb.proxy ? home.processTag : home.mongodbData);
    }
    if (mongodb?.proxy && (isDatabase || kill === 'database proxy')) {
      await killAndWait(mongodb.proxy.pid, home.processTag);
    }
    if (redis && (isEverything || kill.startsWith('Redis'))) {
      await killAndWait(redis.pid, `127.0.0.1:${redis.port}`);
      rmSync(home.redisData, { recursive: true, force: true });
    }
    onAway?.();
    await sleep(downMs);
    const output: string[] = [];
    const restarted = await startLocalStack(this.env, { write: (text) => output.push(text) }).catch(
      (cause: unknown) => {
        throw new Error(`The stack does not restart: ${String(cause)}\n${output.join('')}`, { cause });
      },
    );
    if (restarted.mongodbUri !== this.mongodbUri || restarted.redisUrl !== this.redisUrl) {
      throw new Error('The stack restarted on other ports, because another program has taken the old ones');
    }
    outage.to = Date.now();
  }

  /** @returns undefined for a kill of the stack's servers. */
  private injectFault(kill: StackKill, downMs: number): Promise<void> | undefined {
    if (isRedisFault(kill)) return this.redisFaults?.inject(kill, downMs);
    if (isReplicaSetFault(kill)) return this.replicaSetFaults?.inject(kill, downMs);
    return undefined;
  }

  private home(): ReturnType<typeof homeFrom> {
    return homeFrom(this.env);
  }
}

async function redisFaultsOf(kind: ChaosOptions['redis'] = 'server'): Promise<RedisFaults | undefined> {
  if (kind === 'cluster') return ClusterFaults.start();
  return kind === 'sentinels' ? SentinelFaults.start() : undefined;
}

/** Kills a process with this mark on its command line and waits for its exit. */
async function killAndWait(pid: number, mark: string): Promise<void> {
  if (!(await isRunning(pid, mark))) return;
  process.kill(pid, 'SIGKILL');
  while (await isRunning(pid, mark)) await sleep(10);
}
