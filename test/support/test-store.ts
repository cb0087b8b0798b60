import { randomBytes } from 'node:crypto';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import type { Environment } from '../../src/config/environment/environment';
import { returnDatabase, takeDatabase } from './database-pool';

/** A separate database and Redis prefix, which several services can share. */
export interface TestStore {
  readonly environment: Environment;
  /** Removes its data. Stop every service that uses the store first. */
  drop(): Promise<void>;
}

export function newEncryptionKey(): string {
  return randomBytes(32).toString('hex');
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value)
    throw new Error(`${variable} is not set: run the tests with npm test, which brings its own database`);
  return value;
}

/** A store with a new database. */
export function newStore(): TestStore {
  const name = newName();
  return storeIn(name, async () => {
    const client = await mongo.MongoClient.connect(required('MONGODB_URI'));
    await client.db(name).dropDatabase();
    await client.close();
  });
}

/** A store with an empty database from the pool, which may already have collections and indexes. */
export async function pooledStore(): Promise<TestStore> {
  const database = await takeDatabase();
  return storeIn(database, () => returnDatabase(database));
}

function newName(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}

function storeIn(database: string, dropDatabase: () => Promise<void>): TestStore {
  const redisUrl = required('REDIS_URL');
  const prefix = newName();
  return {
    environment: {
      MONGODB_URI: required('MONGODB_URI'),
      MONGODB_DATABASE: database,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: prefix,
      TOKEN_SECRET: randomBytes(24).toString('hex'),
      ENCRYPTION_KEYS: newEncryptionKey(),
    },
    async drop() {
      const redis = new Redis(redisUrl);
      const keys = await redis.keys(`*${prefix}:*`);
      if (keys.length > 0) await redis.del(keys);
      await redis.quit();
      await dropDatabase();
    },
  };
}
