import Redis from 'ioredis';
import { createConnection } from 'mongoose';
import type { DatabaseConfig } from '../config/sections/database.config';
import type { RedisConfig } from '../config/sections/redis.config';
import { OperatorError } from '../common/errors';

const CONNECT_TIMEOUT_MS = 4_000;

function unreachable(service: string, address: string, variable: string, reason: string): OperatorError {
  return new OperatorError(
    `Cannot reach ${service} at ${withoutCredentials(address)} (set by ${variable}): ${reason}`,
  );
}

function withoutCredentials(uri: string): string {
  return uri
    .replace(/^[^:]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?].*$/, '');
}

const firstLineOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message.split('\n', 1).join('') : String(failure);

async function reachMongo(config: DatabaseConfig): Promise<void> {
  const connection = createConnection(config.uri, { serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS });
  try {
    await connection.asPromise();
    await connection.db?.command({ ping: 1 });
  } catch (failure) {
    throw unreachable('MongoDB', config.uri, 'MONGODB_URI', firstLineOf(failure));
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function reachRedis(config: RedisConfig): Promise<void> {
  const redis = new Redis(config.url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = 'no answer';
  redis.on('error', (failure: Error) => {
    reason = firstLineOf(failure);
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (failure) {
    throw unreachable(
      'Redis',
      config.url,
      'REDIS_URL',
      reason === 'no answer' ? firstLineOf(failure) : reason,
    );
  } finally {
    redis.disconnect();
  }
}

/** Checks the connections to MongoDB and Redis before the application starts. @throws OperatorError */
export async function assertReachable(configuration: {
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
}): Promise<void> {
  await Promise.all([reachMongo(configuration.database), reachRedis(configuration.redis)]);
}
