import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpConfig } from '../../config/sections/http.config';
import type { RedisConfig } from '../../config/sections/redis.config';
import type { RateLimiterFactory } from '../../infrastructure/redis/rate-limiter';
import type { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { RateLimited } from './limit.errors';
import { RequestRateLimiter } from './request-rate-limiter.service';

const REQUEST = { credentialHash: undefined, address: '192.0.2.1', isExempt: false };

/** A limiter whose counters are always over their limit. @param msLeft until the window ends. */
function exceededLimiter(msLeft: number): RequestRateLimiter {
  const limits: Pick<RateLimiterFactory, 'create'> = {
    create: () => ({ consume: () => Promise.resolve({ isExceeded: true, msLeft }) }) as never,
  };
  return new RequestRateLimiter(
    { rateLimitPerKey: 1, rateLimitPerAddress: 1 } as HttpConfig,
    limits as RateLimiterFactory,
    {} as RedisCircuitBreaker,
    {} as RedisConfig,
  );
}

describe('RequestRateLimiter', () => {
  it('refuses an address that is over its limit until its window ends', async () => {
    const limiter = exceededLimiter(60_000);
    await expect(limiter.countUnauthenticated(REQUEST)).rejects.toThrow(RateLimited);
    await expect(limiter.assertAllowed(REQUEST)).rejects.toThrow(RateLimited);
    await expect(limiter.assertAllowed({ ...REQUEST, address: '192.0.2.2' })).resolves.toBeUndefined();
  });

  it.each([0, 20])('accepts it again when the window ends in %s ms', async (msLeft) => {
    const limiter = exceededLimiter(msLeft);
    await expect(limiter.countUnauthenticated(REQUEST)).rejects.toThrow(RateLimited);
    await sleep(msLeft + 5);
    await expect(limiter.assertAllowed(REQUEST)).resolves.toBeUndefined();
  });
});
