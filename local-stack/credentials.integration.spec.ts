import { statSync } from 'node:fs';
import { Redis } from 'ioredis';
import { mongo } from 'mongoose';

import { homeFrom } from './home';
import { answersMongodb, answersRedis } from './ping';

const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
/** Servers of the user may have no password. */
const isOurs = MONGODB_URI.includes('@') && REDIS_URL.includes('@');

(isOurs ? describe : describe.skip)('the local stack is closed to other users of the machine', () => {
  const withoutCredentials = (uri: string) => {
    const { host, pathname } = new URL(uri);
    return `${uri.slice(0, uri.indexOf('//'))}//${host}${pathname}`;
  };
  const read = async (uri: string) => {
    const options = { directConnection: true, serverSelectionTimeoutMS: 5_000 };
    const client = new mongo.MongoClient(uri, options);
    try {
      return await client.db('admin').admin().listDatabases();
    } finally {
      await client.close();
    }
  };

  it('MongoDB answers a ping, and nothing else without the password', async () => {
    expect(await answersMongodb(Number(new URL(MONGODB_URI).port))).toBe(true);
    await expect(read(MONGODB_URI)).resolves.toMatchObject({ ok: 1 });
    await expect(read(withoutCredentials(MONGODB_URI))).rejects.toThrow(/requires authentication/);
    await expect(read(MONGODB_URI.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(/Authentication failed/);
  });

  it('Redis answers nothing without the password', async () => {
    const { port, password } = new URL(REDIS_URL);
    expect(await answersRedis(Number(port), password)).toBe(true);
    expect(await answersRedis(Number(port), 'wrong')).toBe(false);
    const redis = new Redis(withoutCredentials(REDIS_URL), { maxRetriesPerRequest: 0, retryStrategy: null });
    redis.on('error', () => undefined); // the call below rejects with it
    await expect(redis.ping()).rejects.toThrow(/NOAUTH/);
    redis.disconnect();
  });

  it('its folder is its owner’s alone', () => {
    expect(statSync(homeFrom(process.env).path).mode & 0o777).toBe(0o700);
  });
});
