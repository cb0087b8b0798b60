import type Redis from 'ioredis';
import { RedisCircuitBreaker } from './redis-circuit-breaker';

describe('RedisCircuitBreaker', () => {
  const redis = {} as Redis;

  it('returns undefined if a command fails, and does not open the circuit', async () => {
    const breaker = new RedisCircuitBreaker(redis, 1_000);
    expect(await breaker.run('key', () => Promise.reject<string>(new Error('refused')))).toBeUndefined();
    const fails = (): Promise<string> => {
      throw new Error('not a command');
    };
    expect(await breaker.run('key', fails)).toBeUndefined();
    expect(await breaker.run('key', () => Promise.resolve('PONG'))).toBe('PONG');
  });
});
