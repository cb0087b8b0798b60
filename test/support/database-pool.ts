import { randomBytes } from 'node:crypto';
import Redis from 'ioredis';
import { mongo } from 'mongoose';

/** The name of the pool of one Jest run; set before the workers start. */
export const POOL_VARIABLE = 'TEST_DATABASE_POOL';

const POOL_EXPIRES_AFTER_S = 3_600;

/** Takes a free database of the pool, or the name of a new one. */
export async function takeDatabase(): Promise<string> {
  const pool = poolName();
  const free = await withRedis((redis) => redis.lpop(pool));
  return free ?? `${pool}_${randomBytes(4).toString('hex')}`;
}

/** Empties the collections of a database and returns it to the pool. */
export async function returnDatabase(name: string): Promise<void> {
  await withClient(async (client) => {
    const database = client.db(name);
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    await Promise.all(collections.map((each) => database.collection(each.name).deleteMany({})));
  });
  await withRedis(async (redis) => {
    await redis.rpush(poolName(), name);
    await redis.expire(poolName(), POOL_EXPIRES_AFTER_S);
  });
}

/** Drops all databases of the pool. */
export async function dropPool(): Promise<void> {
  const pool = poolName();
  await withRedis((redis) => redis.del(pool));
  await withClient(async (client) => {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(`${pool}_`)) await client.db(name).dropDatabase();
  });
}

function poolName(): string {
  const name = process.env[POOL_VARIABLE];
  if (!name) throw new Error(`${POOL_VARIABLE} is not set: run the tests with Jest`);
  return name;
}

async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(process.env.REDIS_URL ?? '');
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function withClient(work: (client: mongo.MongoClient) => Promise<void>): Promise<void> {
  const client = await mongo.MongoClient.connect(process.env.MONGODB_URI ?? '');
  try {
    await work(client);
  } finally {
    await client.close();
  }
}
