import { Redis } from 'ioredis';

import { answersMongodb, answersRedis } from './ping';
import { freePort } from './ports';

describe('the Redis of the stack', () => {
  const url = process.env.REDIS_URL ?? '';

  it('keeps what it is given, and drops nothing to make room', async () => {
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

  it('is told from a port where nothing listens, and from something else', async () => {
    const port = await freePort();
    expect(await answersRedis(port, 'password')).toBe(false);
    expect(await answersMongodb(port)).toBe(false);
    const { port: redisPort } = new URL(url);
    expect(await answersMongodb(Number(redisPort))).toBe(false);
  });
});
