import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisCircuitBreaker } from './redis-circuit-breaker';
import type { RedisClient } from './redis-client';

/** A fixed window, which begins with the first request. */
export interface RateLimiterOptions {
  /** Part of the Redis key. */
  readonly scope: string;
  readonly max: number;
  readonly windowS: number;
}

export interface RateLimitResult {
  readonly isExceeded: boolean;
  /** Time until the window ends. */
  readonly msLeft: number;
}

export class RateLimiter {
  constructor(private readonly limiter: RateLimiterRedis | RateLimiterMemory) {}

  /** Counts one request, even when the limit is exceeded. */
  async consume(subject: string): Promise<RateLimitResult> {
    try {
      const { msBeforeNext } = await this.limiter.consume(keyOf(subject));
      return { isExceeded: false, msLeft: msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { isExceeded: true, msLeft: refusal.msBeforeNext };
    }
  }

  /** Undoes one `consume`. */
  async refund(subject: string): Promise<void> {
    await this.limiter.reward(keyOf(subject));
  }
}

@Injectable()
export class RateLimiterFactory {
  constructor(
    private readonly redis: RedisCircuitBreaker,
    private readonly config: RedisConfig,
  ) {}

  /** A limit that all processes share. While Redis is unavailable, each process enforces it in memory. */
  create({ scope, max, windowS }: RateLimiterOptions): RateLimiter {
    const options = { keyPrefix: `${this.config.prefix}:${scope}`, points: max, duration: windowS };
    return new RateLimiter(
      new RateLimiterRedis({
        ...options,
        storeClient: new RateLimiterClient(this.redis),
        insuranceLimiter: new RateLimiterMemory(options),
      }),
    );
  }

  /** A limit that each process enforces in memory, without a round trip to Redis. */
  createLocal({ scope, max, windowS }: RateLimiterOptions): RateLimiter {
    return new RateLimiter(new RateLimiterMemory({ keyPrefix: scope, points: max, duration: windowS }));
  }
}

type IncrementArguments = readonly [key: string, ...args: string[]];

type ClientWithIncrement = RedisClient & { rlflxIncr(args: IncrementArguments): Promise<unknown> };

/** The part of ioredis that rate-limiter-flexible uses, behind the circuit breaker. */
class RateLimiterClient {
  constructor(private readonly redis: RedisCircuitBreaker) {}

  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void {
    this.redis.defineCommand(name, definition);
  }

  /** The Lua command that rate-limiter-flexible defines on its client. */
  async rlflxIncr(args: IncrementArguments): Promise<unknown> {
    const [key] = args;
    const counted = await this.redis.run(key, (redis) => (redis as ClientWithIncrement).rlflxIncr(args));
    if (counted === undefined) throw new Error('Redis is unavailable');
    return counted;
  }
}

/** Hashed, because subjects can be long and can hold personal data such as addresses. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
