import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import { Installation } from '../test/chaos/installation';
import { OwnStack } from '../test/chaos/own-stack';
import type { ServiceRole } from '../test/chaos/service-process';
import { homeFrom } from 'messaging-gateway-local-stack/home';
import { withLock } from 'messaging-gateway-local-stack/lock-file';
import { dropDatabase } from './drop-database';
import { HttpClient } from './http-client';
import { ProcessControl } from './process-control';
import { Receiver } from './receiver';
import { Records } from './records';

/** The name of the local stack. */
const STACK = 'bench';

export const ROLES: readonly ServiceRole[] = ['api', 'worker', 'scheduler'];

export interface WorkbenchOptions {
  /** Whether the processes count their database commands. */
  readonly countsCommands?: boolean;
  /** Whether messages are handed to phones. Otherwise the transport of streams does nothing. */
  readonly hasPhones?: boolean;
  /** Whether the processes note when they offer messages to streams, and how long their main threads do one thing. */
  readonly measuresTurns?: boolean;
  /** Additional settings of the service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The build to run; by default that of this checkout. */
  readonly dist?: string;
}

/** The running service and the tools to measure it. */
export interface WorkbenchTools {
  readonly mongodbUri: string;
  readonly database: string;
  readonly client: mongo.MongoClient;
  readonly records: Records;
  readonly receiver: Receiver;
  readonly http: HttpClient;
  readonly control: ProcessControl;
  readonly installation: Installation;
}

/** Starts the production service on its own stack, and cleans up afterwards. */
export class Workbench {
  /** Errors of the service, which invalidate the run. */
  readonly errors: string[] = [];
  private readonly cleanupTasks: (() => unknown)[] = [];
  private starting: Promise<WorkbenchTools> | undefined;
  private stack: Promise<OwnStack> | undefined;
  private isWaiting = false;
  private closed: Promise<void> | undefined;
  private lock: Promise<void> | undefined;
  private releaseLock: (() => void) | undefined;

  constructor(private readonly log: (text: string) => void) {}

  /** Starts a service with a database of its own, beside those that run. One after the other. */
  start(options: WorkbenchOptions = {}): Promise<WorkbenchTools> {
    // What it started would not be stopped.
    if (this.closed) return Promise.reject(new Error('The run is over'));
    this.starting = this.startAll(options);
    return this.starting;
  }

  /** @throws Error if the service had errors, which invalidate the measurement. */
  check(): void {
    if (this.errors.length > 0) throw new Error('The service had errors during the run');
  }

  /** Adds a cleanup task. Tasks run in reverse order. */
  defer(task: () => unknown): void {
    this.cleanupTasks.push(task);
  }

  /** Runs all cleanup tasks, after a start in progress. */
  close(): Promise<void> {
    this.closed ??= this.closeAll();
    return this.closed;
  }

  private async closeAll(): Promise<void> {
    if (!this.isWaiting) await this.starting?.catch(() => undefined);
    await this.cleanUp();
    this.releaseLock?.();
    await this.lock;
  }

  /** Stops and removes what was started, and keeps the lock. */
  async cleanUp(): Promise<void> {
    this.starting = undefined;
    for (const task of this.cleanupTasks.splice(0).reverse()) {
      try {
        await task();
      } catch (failure) {
        this.log(`Cleanup failed: ${String(failure)}`);
      }
    }
  }

  /** Waits for other benches on this machine, which would share the stack and distort the figures. Keeps the lock until `close`. */
  async acquireLock(): Promise<void> {
    if (this.lock || (process.env.MONGODB_URI && process.env.REDIS_URL)) return;
    const file = `${homeFrom(process.env).path}-${STACK}.lock`;
    const onWait = () => {
      this.isWaiting = true;
      this.log('waiting for another bench to finish');
    };
    await new Promise<void>((resolve, reject) => {
      this.lock = withLock(file, onWait, () => {
        this.isWaiting = false;
        resolve();
        return new Promise<void>((release) => {
          this.releaseLock = release;
        });
      });
      this.lock.catch(reject);
    });
  }

  private startStack(): Promise<OwnStack> {
    this.stack ??= OwnStack.start(STACK).then((stack) => {
      this.defer(() => {
        this.stack = undefined;
        return stack.stop();
      });
      return stack;
    });
    return this.stack;
  }

  private async startAll(options: WorkbenchOptions): Promise<WorkbenchTools> {
    const { countsCommands, hasPhones, measuresTurns, dist, environment } = options;
    const database = `bench_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-bench', database);
    mkdirSync(folder, { recursive: true });
    this.defer(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    await this.acquireLock();
    const stack = await this.startStack();
    this.defer(() => removeKeys(stack.redisUrl, database));
    const { mongodbUri } = stack;
    this.defer(() => dropDatabase(mongodbUri, database));
    const client = await new mongo.MongoClient(mongodbUri).connect();
    // First, because a run that is interrupted still writes.
    this.defer(() => client.close());
    const receiver = await Receiver.start();
    this.defer(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      dist,
      roles: ROLES,
      environment: {
        // All calls of a row use one key.
        RATE_LIMIT_PER_KEY: '0',
        MAX_PHONE_REQUESTS_PER_MINUTE: '0',
        MAX_RECEIVED_MESSAGES_PER_PHONE_DAY: '0',
        MAX_SEARCHES_PER_ACCOUNT: '1000',
        ...(countsCommands && { BENCH_COMMANDS: '1' }),
        ...(hasPhones && { BENCH_PHONES: '1' }),
        ...(measuresTurns && { BENCH_TURNS: '1', BENCH_OFFERS: '1' }),
        ...environment,
      },
      nodeArguments: ['--require', join(__dirname, 'preload.cjs')],
      restartDelayMs: () => 0,
      onError: (error) => {
        if (!this.closed) this.errors.push(error);
      },
    });
    this.defer(() => installation.stop('SIGTERM'));
    const http = new HttpClient(installation.apiUrls[0] ?? '');
    this.defer(() => http.close());
    this.log(`${installation.processes.length} processes are up on database ${database}`);
    const control = new ProcessControl(installation.processes, folder);
    const records = new Records(client.db(database));
    return { mongodbUri, database, client, records, receiver, http, control, installation };
  }
}

/** Removes all keys with a prefix. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}:*`, 'COUNT', 1_000);
      if (keys.length > 0) await redis.unlink(keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
