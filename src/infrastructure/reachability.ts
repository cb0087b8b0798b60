import { createConnection } from 'mongoose';
import type { DatabaseConfig } from '../config/sections/database.config';
import type { RedisConfig } from '../config/sections/redis.config';
import { assertRedisUsable } from './redis/assert-redis-usable';
import { unreachable } from '../common/unreachable';

const CONNECT_TIMEOUT_MS = 4_000;

async function reachMongo(config: DatabaseConfig): Promise<void> {
  const connection = createConnection(config.uri, { serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS });
  try {
    await connection.asPromise();
    await connection.db?.command({ ping: 1 });
  } catch (failure) {
    throw unreachable('MongoDB', config.uri, 'MONGODB_URI', failure);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

/** Checks the connections to MongoDB and Redis before the application starts. @throws OperatorError */
export async function assertReachable(configuration: {
  readonly database: DatabaseConfig;
  readonly redis: RedisConfig;
}): Promise<void> {
  await Promise.all([reachMongo(configuration.database), assertRedisUsable(configuration.redis)]);
}
