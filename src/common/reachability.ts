import Redis from 'ioredis';
import { createConnection } from 'mongoose';
import type { DatabaseConfig } from '../config/database.config';
import type { RedisConfig } from '../config/redis.config';
import { OperatorError } from './errors';

const PATIENCE_MS = 4_000;

/** A service this one cannot run without; the text names its address and the variable that sets it. */
class Unreachable extends OperatorError {
  constructor(what: string, address: string, variable: string, reason: string) {
    super(`Cannot reach ${what} at ${addressOnly(address)} (set by ${variable}): ${reason}`);
  }
}

/** Host and port without credentials, which have no business in a log. */
function addressOnly(uri: string): string {
  return uri
    .replace(/^[^:]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?].*$/, '');
}

const reasonOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message.split('\n', 1).join('') : String(failure);

async function reachMongo(config: DatabaseConfig): Promise<void> {
  const connection = createConnection(config.uri, { serverSelectionTimeoutMS: PATIENCE_MS });
  try {
    await connection.asPromise();
    await connection.db?.command({ ping: 1 });
  } catch (failure) {
    throw new Unreachable('MongoDB', config.uri, 'MONGODB_URI', reasonOf(failure));
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function reachRedis(config: RedisConfig): Promise<void> {
  const redis = new Redis(config.url, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = 'no answer';
  redis.on('error', (failure: Error) => {
    reason = reasonOf(failure);
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (failure) {
    throw new Unreachable(
      'Redis',
      config.url,
      'REDIS_URL',
      reason === 'no answer' ? reasonOf(failure) : reason,
    );
  } finally {
    redis.disconnect();
  }
}

/**
 * Makes sure, before anything starts, that the database and Redis are there.
 * @throws Unreachable
 */
export async function assertReachable(configuration: {
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
}): Promise<void> {
  await Promise.all([reachMongo(configuration.database), reachRedis(configuration.redis)]);
}
