import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import { Installation } from '../test/chaos/installation';
import { OwnStack } from '../test/chaos/own-stack';
import type { ServiceRole } from '../test/chaos/service-process';
import { homeFrom } from '../tools/local-stack/home';
import { withLock } from '../tools/local-stack/lock-file';
import { HttpClient } from './http-client';
import { ProcessControl } from './process-control';
import { Receiver } from './receiver';
import { Records } from './records';

/** What the bench's own stack is called. */
const STACK = 'bench';

export const ROLES: readonly ServiceRole[] = ['api', 'worker', 'scheduler'];

/** The running service, and all that measuring it takes. */
export interface Tools {
  readonly mongodbUri: string;
  readonly database: string;
  readonly client: mongo.MongoClient;
  readonly records: Records;
  readonly receiver: Receiver;
  readonly http: HttpClient;
  readonly control: ProcessControl;
}

/** Starts the service as it runs in production on a stack of its own, and ends and removes all it has started. */
export class Workbench {
  /** What must not happen in a run, in the words of those who saw it. */
  readonly faults: string[] = [];
  private readonly closing: (() => unknown)[] = [];
  private starting: Promise<Tools> | undefined;
  private isWaiting = false;
  private ending: Promise<void> | undefined;
  private turn: Promise<void> | undefined;
  private endTurn: (() => void) | undefined;

  constructor(private readonly say: (text: string) => void) {}

  /** @param countsCommands whether the processes count their database commands. */
  start(countsCommands: boolean): Promise<Tools> {
    this.starting ??= this.startAll(countsCommands);
    return this.starting;
  }

  /** @throws Error when something happened that must not: what was measured since is worth nothing. */
  check(): void {
    if (this.faults.length > 0) throw new Error('The service did not run through');
  }

  /** Has something ended with the rest, before what was started earlier. */
  endWith(end: () => unknown): void {
    this.closing.push(end);
  }

  /** Ends and removes whatever was started; what is just being started is waited for. */
  close(): Promise<void> {
    this.ending ??= this.closeAll();
    return this.ending;
  }

  private async closeAll(): Promise<void> {
    if (!this.isWaiting) await this.starting?.catch(() => undefined);
    await this.endAll();
    this.endTurn?.();
    await this.turn;
  }

  /** Ends and removes what was started, and keeps the turn. */
  async endAll(): Promise<void> {
    for (const end of this.closing.splice(0).reverse()) {
      try {
        await end();
      } catch (failure) {
        this.say(`Could not be ended: ${String(failure)}`);
      }
    }
  }

  /** Two benches at once on one machine measure each other, and the first to end would stop the stack of both. */
  async takeTurn(): Promise<void> {
    if (process.env.MONGODB_URI && process.env.REDIS_URL) return;
    const file = `${homeFrom(process.env).path}-${STACK}.lock`;
    const onWait = () => {
      this.isWaiting = true;
      this.say('another bench is at work: waiting for it');
    };
    await new Promise<void>((resolve, reject) => {
      this.turn = withLock(file, onWait, () => {
        this.isWaiting = false;
        resolve();
        return new Promise<void>((end) => {
          this.endTurn = end;
        });
      });
      this.turn.catch(reject);
    });
  }

  private async startAll(countsCommands: boolean): Promise<Tools> {
    const database = `bench_${Date.now().toString(36)}`;
    const folder = join(tmpdir(), 'messaging-gateway-bench', database);
    mkdirSync(folder, { recursive: true });
    this.endWith(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    await this.takeTurn();
    const stack = await OwnStack.start(STACK);
    this.endWith(() => stack.stop());
    this.endWith(() => removeKeys(stack.redisUrl, database));
    const { mongodbUri } = stack;
    const client = await new mongo.MongoClient(mongodbUri).connect();
    this.endWith(() => client.close());
    this.endWith(() => client.db(database).dropDatabase());
    const receiver = await Receiver.start();
    this.endWith(() => receiver.stop());
    const installation = await Installation.start({
      stack,
      database,
      folder,
      roles: ROLES,
      environment: {
        // All calls of a row are made with one key: the limit of requests a minute is not what is measured.
        RATE_LIMIT_PER_KEY: '0',
        MAX_PHONE_REQUESTS_PER_MINUTE: '0',
        MAX_RECEIVED_MESSAGES_PER_PHONE_DAY: '0',
        MAX_SEARCHES_PER_ACCOUNT: '1000',
        ...(countsCommands && { BENCH_COMMANDS: '1' }),
      },
      nodeArguments: ['--require', join(__dirname, 'preload.cjs')],
      restartDelayMs: () => 0,
      onFault: (fault) => {
        if (!this.ending) this.faults.push(fault);
      },
    });
    this.endWith(() => installation.stop('SIGTERM'));
    const http = new HttpClient(installation.apiUrls[0] ?? '');
    this.endWith(() => http.close());
    this.say(`${installation.processes.length} processes are up on the database ${database}`);
    const control = new ProcessControl(installation.processes, folder);
    const records = new Records(client.db(database));
    return { mongodbUri, database, client, records, receiver, http, control };
  }
}

/** Removes what begins with a prefix. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}:*`, 'COUNT', 1_000);
      if (keys.length > 0) await redis.unlink(keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
