import { Redis } from 'ioredis';

import { isMongodbResponding, isRedisResponding } from './ping';
import { freePort } from './ports';

describe('the Redis of the stack', () => {
  const url = process.env.REDIS_URL ?? '';

  it('stores values, and evicts none', async () => {
    if (url === '') throw new Error('REDIS_URL is not set: run the tests by npm test, which starts a Redis.');
    const redis = new Redis(url);
    const key = `test-stack-${process.pid}`;
    await redis.set(key, 'value', 'EX', 60);
    expect(await redis.get(key)).toBe('value');
    await redis.del(key);
    const [, policy] = (await redis.config('GET', 'maxmemory-policy')) as string[];
    expect(policy).toBe('noeviction');
    await redis.quit();
  });

  it('is distinguished from a closed port and from MongoDB', async () => {
    const port = await freePort();
    expect(await isRedisResponding(port, 'password')).toBe(false);
    expect(await isMongodbResponding(port)).toBe(false);
    const { port: redisPort } = new URL(url);
    expect(await isMongodbResponding(Number(redisPort))).toBe(false);
  });
});
