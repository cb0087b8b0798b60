import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeFrom } from '../../tools/local-stack/home';
import { startLocalStack, stopLocalStack } from '../../tools/local-stack/local-stack';
import { isRunning } from '../../tools/local-stack/processes';
import { readState } from '../../tools/local-stack/state-file';
import type { Kill } from './kill-plan';

/** A time in which a part of the stack was not there, in epoch milliseconds; without an end it still is not. */
interface Outage {
  readonly from: number;
  to?: number;
}

export type StackKill = Extract<Kill, `database${string}` | `Redis ${string}` | 'everything'>;

const QUIET = { write: () => true };

/** The database and the Redis of a run. Those it has started itself can be killed; nobody else uses them. */
export class OwnStack {
  private readonly outages: Outage[] = [];
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    readonly mongodbUri: string,
    readonly redisUrl: string,
  ) {}

  /** Starts the stack of this name, but for what MONGODB_URI and REDIS_URL name. @throws StackUnavailable */
  static async start(name: string): Promise<OwnStack> {
    const shared = homeFrom(process.env);
    const env = {
      LOCAL_STACK_HOME: `${shared.path}-${name}`,
      LOCAL_STACK_PROGRAMS: shared.programs,
      MONGODB_URI: process.env.MONGODB_URI,
      REDIS_URL: process.env.REDIS_URL,
    };
    const { mongodbUri, redisUrl } = await startLocalStack(env);
    return new OwnStack(env, mongodbUri, redisUrl);
  }

  get ownsDatabase(): boolean {
    return !this.env.MONGODB_URI;
  }

  get ownsRedis(): boolean {
    return !this.env.REDIS_URL;
  }

  /** What processes of the database, if it is of our own, carry on their command lines. */
  databaseMarks(): string[] {
    const { mark, mongodbData } = this.home();
    return this.ownsDatabase ? [mark, mongodbData] : [];
  }

  /** The kills that are possible here. */
  possible(): StackKill[] {
    const hasFront = readState(this.home().stateFile).mongodb?.front !== undefined;
    return [
      ...(this.ownsRedis ? (['Redis with its data', 'Redis away while all are asked to stop'] as const) : []),
      ...(this.ownsDatabase ? (['database', 'database away while all are asked to stop'] as const) : []),
      ...(this.ownsDatabase && hasFront ? (['database server', 'database front'] as const) : []),
      ...(this.ownsRedis && this.ownsDatabase ? (['everything'] as const) : []),
    ];
  }

  /**
   * Kills a part with `kill -9` and starts it again after a while; one such outage at a time.
   * @param onAway called once it is away.
   */
  async kill(kill: StackKill, downMs: number, onAway?: () => void): Promise<void> {
    const before = this.last;
    const done = before.then(() => this.killNow(kill, downMs, onAway));
    this.last = done.catch(() => undefined);
    await done;
  }

  /** Whether a part was away at some moment since `from`, or shortly before it. */
  wasAway(from: number): boolean {
    const HARM_LASTS_MS = 5_000;
    return this.outages.some(({ to }) => to === undefined || to + HARM_LASTS_MS >= from);
  }

  async stop(): Promise<void> {
    await this.last;
    await stopLocalStack(this.env);
  }

  private async killNow(kill: StackKill, downMs: number, onAway?: () => void): Promise<void> {
    const outage: Outage = { from: Date.now() };
    this.outages.push(outage);
    const home = this.home();
    const { mongodb, redis } = readState(home.stateFile);
    const isAll = kill === 'everything';
    const isDatabase = isAll || kill === 'database' || kill === 'database away while all are asked to stop';
    if (mongodb && (isDatabase || kill === 'database server')) {
      await killSurely(mongodb.server.pid, mongodb.front ? home.mark : home.mongodbData);
    }
    if (mongodb?.front && (isDatabase || kill === 'database front')) {
      await killSurely(mongodb.front.pid, home.mark);
    }
    if (redis && (isAll || kill.startsWith('Redis'))) {
      await killSurely(redis.pid, `127.0.0.1:${redis.port}`);
      rmSync(home.redisData, { recursive: true, force: true });
    }
    onAway?.();
    await sleep(downMs);
    const again = await startLocalStack(this.env, QUIET);
    if (again.mongodbUri !== this.mongodbUri || again.redisUrl !== this.redisUrl) {
      throw new Error('The stack came back on other ports, which something else has taken meanwhile');
    }
    outage.to = Date.now();
  }

  private home(): ReturnType<typeof homeFrom> {
    return homeFrom(this.env);
  }
}

/** Kills a process, if it is the one meant. */
async function killSurely(pid: number, mark: string): Promise<void> {
  if (!(await isRunning(pid, mark))) return;
  process.kill(pid, 'SIGKILL');
  while (await isRunning(pid, mark)) await sleep(10);
}
