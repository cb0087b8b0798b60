import { statSync } from 'node:fs';
import { Redis } from 'ioredis';
import { mongo } from 'mongoose';

import { eventually } from '../test/support/eventually';
import { homeFrom } from './home';
import { isMongodbResponding, isRedisResponding } from './ping';

const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
/** Servers of the user may have no password. */
const isOurs = MONGODB_URI.includes('@') && REDIS_URL.includes('@');

(isOurs ? describe : describe.skip)('access of other users of the machine', () => {
  const withoutCredentials = (uri: string) => {
    const { host, pathname } = new URL(uri);
    return `${uri.slice(0, uri.indexOf('//'))}//${host}${pathname}`;
  };
  const read = async (uri: string) => {
    const options = { directConnection: true, serverSelectionTimeoutMS: 30_000 };
    const client = new mongo.MongoClient(uri, options);
    try {
      return await client.db('admin').admin().listDatabases();
    } finally {
      await client.close();
    }
  };

  it('to MongoDB needs the password, except for a ping', async () => {
    await eventually(() => isMongodbResponding(Number(new URL(MONGODB_URI).port)), Boolean);
    await expect(read(MONGODB_URI)).resolves.toMatchObject({ ok: 1 });
    await expect(read(withoutCredentials(MONGODB_URI))).rejects.toThrow(/requires authentication/);
    await expect(read(MONGODB_URI.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(/Authentication failed/);
  });

  it('to Redis needs the password', async () => {
    const { port, password } = new URL(REDIS_URL);
    await eventually(() => isRedisResponding(Number(port), password), Boolean);
    expect(await isRedisResponding(Number(port), 'wrong')).toBe(false);
    const redis = new Redis(withoutCredentials(REDIS_URL), { maxRetriesPerRequest: 0, retryStrategy: null });
    redis.on('error', () => undefined); // the call below rejects with it
    await expect(redis.ping()).rejects.toThrow(/NOAUTH/);
    redis.disconnect();
  });

  it('to the folder of the stack is denied', () => {
    expect(statSync(homeFrom(process.env).path).mode & 0o777).toBe(0o700);
  });
});
