import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { RedisConfig } from '../../config/redis.config';
import { OptionalRedis } from './optional-redis';

/** How many are allowed in a window, which begins with the first. */
export interface RateLimitOptions {
  /** Part of the key in Redis. */
  readonly scope: string;
  readonly max: number;
  readonly windowS: number;
}

export interface Counted {
  readonly isOver: boolean;
  /** Until the window ends. */
  readonly msLeft: number;
}

/** Counts against a limit. */
export class RateLimit {
  constructor(private readonly limiter: RateLimiterRedis | RateLimiterMemory) {}

  /** Counts one. Never throws. */
  async count(subject: string): Promise<Counted> {
    try {
      const { msBeforeNext } = await this.limiter.consume(keyOf(subject));
      return { isOver: false, msLeft: msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { isOver: true, msLeft: refusal.msBeforeNext };
    }
  }

  /** Takes back what was counted. */
  async takeBack(subject: string): Promise<void> {
    await this.limiter.reward(keyOf(subject));
  }
}

/** Makes limits on the Redis of the installation. */
@Injectable()
export class RateLimits {
  constructor(
    private readonly redis: OptionalRedis,
    private readonly config: RedisConfig,
  ) {}

  /** A limit that all processes share. While Redis is away each process enforces it by itself, in memory. */
  create({ scope, max, windowS }: RateLimitOptions): RateLimit {
    const options = { keyPrefix: `${this.config.prefix}:${scope}`, points: max, duration: windowS };
    return new RateLimit(
      new RateLimiterRedis({
        ...options,
        storeClient: new LimiterClient(this.redis),
        insuranceLimiter: new RateLimiterMemory(options),
      }),
    );
  }

  /** A limit that each process enforces by itself: it costs no round trip. */
  createLocal({ scope, max, windowS }: RateLimitOptions): RateLimit {
    return new RateLimit(new RateLimiterMemory({ keyPrefix: scope, points: max, duration: windowS }));
  }
}

type IncrementArguments = readonly [key: string, ...args: string[]];

/** The command that the limiter defines on its client: counts, begins the window with the first, tells what is left. */
interface CountingRedis extends Redis {
  rlflxIncr(args: IncrementArguments): Promise<unknown>;
}

/** What the limiter uses of ioredis, such that nobody waits long for a Redis that is away. */
class LimiterClient {
  constructor(private readonly redis: OptionalRedis) {}

  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void {
    this.redis.define(name, definition);
  }

  async rlflxIncr(args: IncrementArguments): Promise<unknown> {
    const counted = await this.redis.ask((redis) => (redis as CountingRedis).rlflxIncr(args));
    if (counted === undefined) throw new Error('Redis is away');
    return counted;
  }
}

/** Hashed: a key's length is ours to choose, and addresses are nobody's business in Redis. */
function keyOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
