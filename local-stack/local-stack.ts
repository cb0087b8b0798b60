import { join } from 'node:path';

import { Progress, type Screen } from './progress';
import { MONGODB_USER, mongodbPassword, redisPassword } from './credentials';
import { type Home, homeFrom } from './home';
import { makePrivate } from './private-folder';
import { withLock } from './lock-file';
import { clientPort, startMongodb, stopMongodb } from './mongodb';
import { isDebian, isRoot } from './platform';
import { startRedis, stopRedis } from './redis';
import { readState, writeState } from './state-file';

export interface LocalStack {
  /** Contains the name of a database. */
  readonly mongodbUri: string;
  /** Empty if REDIS_SENTINELS or REDIS_CLUSTER_NODES is set: then Redis is there. */
  readonly redisUrl: string;
  /** The folder with the data, where callers may keep files too. */
  readonly home: string;
}

const DATABASE = 'messaging-gateway';

type Environment = Readonly<Record<string, string | undefined>>;

function given(env: Environment, name: string): string | undefined {
  const address = env[name]?.trim();
  return address === '' ? undefined : address;
}

async function ensureMongodb(home: Home, progress: Progress): Promise<string> {
  const state = readState(home.stateFile);
  const mongodb = await startMongodb(home, state.mongodb, progress);
  await writeState(home.stateFile, { ...state, mongodb });
  const credentials = `${MONGODB_USER}:${mongodbPassword(home)}`;
  const options = 'authSource=admin&authMechanism=SCRAM-SHA-256&directConnection=true';
  return `mongodb://${credentials}@127.0.0.1:${clientPort(mongodb)}/${DATABASE}?${options}`;
}

async function ensureRedis(home: Home, progress: Progress): Promise<string> {
  const state = readState(home.stateFile);
  const redis = await startRedis(home, state.redis, progress, isDebian() && isRoot());
  await writeState(home.stateFile, { ...state, redis });
  return `redis://default:${redisPassword(home)}@127.0.0.1:${redis.port}`;
}

/** Homes that share programs must not install them at the same time. */
function withPrograms<T>(home: Home, onWait: () => void, work: () => Promise<T>): Promise<T> {
  if (home.programs === home.path) return work();
  return withLock(join(home.programs, 'lock'), onWait, work);
}

/** What the service reads in place of REDIS_URL. */
const hasOtherRedis = (env: Environment): boolean =>
  [given(env, 'REDIS_SENTINELS'), given(env, 'REDIS_CLUSTER_NODES')].some((address) => address !== undefined);

/** Uses the servers in MONGODB_URI and REDIS_URL, or starts own ones that keep running. @throws StackUnavailable */
export async function startLocalStack(
  env: Environment = process.env,
  screen: Screen = process.stderr,
): Promise<LocalStack> {
  const home = homeFrom(env);
  makePrivate(home);
  const mongodb = new Progress('MongoDB', screen);
  const redis = new Progress('Redis', screen);
  const mongodbUri = given(env, 'MONGODB_URI');
  const redisUrl = given(env, 'REDIS_URL') ?? (hasOtherRedis(env) ? '' : undefined);
  if (mongodbUri !== undefined && redisUrl !== undefined) return { mongodbUri, redisUrl, home: home.path };
  const wait = (): void => {
    mongodb.log('waiting for another set-up');
  };
  return withLock(home.lockFile, wait, () =>
    withPrograms(home, wait, async () => ({
      mongodbUri: mongodbUri ?? (await ensureMongodb(home, mongodb)),
      redisUrl: redisUrl ?? (await ensureRedis(home, redis)),
      home: home.path,
    })),
  );
}

/** Stops the servers and keeps their data. @returns the names of those that were running. */
export async function stopLocalStack(env: Environment = process.env): Promise<string[]> {
  const home = homeFrom(env);
  makePrivate(home);
  return withLock(
    home.lockFile,
    () => undefined,
    async () => {
      const { mongodb, redis } = readState(home.stateFile);
      const ofMongodb = await stopMongodb(home, mongodb);
      const ofRedis = (await stopRedis(home, redis)) ? ['Redis'] : [];
      return [...ofMongodb, ...ofRedis];
    },
  );
}
