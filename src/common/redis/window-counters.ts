import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RedisConfig } from '../../config/redis.config';
import { OptionalRedis } from './optional-redis';

/** Counts, and begins the window with the first; in one step, so that no counter stays without an end. */
const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {count, redis.call('PTTL', KEYS[1])}`;

/** Takes one back, unless the window has ended meanwhile. */
const TAKE_BACK = `
  if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('DECR', KEYS[1]) end
  return 0`;

/** What is counted, and whose. */
export interface Counter {
  readonly scope: string;
  readonly subject: string;
}

export interface Counted {
  /** In this window, the one just counted included. */
  readonly count: number;
  /** Until the window ends and the next begins at nought. */
  readonly msLeft: number;
}

/** Counters that all processes share, each for a window of time that begins with the first it counts. */
@Injectable()
export class WindowCounters {
  constructor(
    private readonly redis: OptionalRedis,
    private readonly config: RedisConfig,
  ) {}

  /** Counts one in each, in one round trip. @returns undefined when Redis is away. */
  count(counters: readonly Counter[], windowMs: number): Promise<Counted[] | undefined> {
    return this.redis.ask((redis) =>
      Promise.all(
        counters.map(async (counter) => {
          const answer: unknown = await redis.eval(COUNT, 1, this.keyOf(counter), windowMs);
          const [count = 0, msLeft = 0] = Array.isArray(answer) ? answer.map(Number) : [];
          return { count, msLeft: Math.max(0, msLeft) };
        }),
      ),
    );
  }

  /** Takes what was counted back. */
  async takeBack(counters: readonly Counter[]): Promise<void> {
    await this.redis.ask((redis) =>
      Promise.all(counters.map((counter) => redis.eval(TAKE_BACK, 1, this.keyOf(counter)))),
    );
  }

  /** Hashed: a key's length is ours to choose, and addresses are nobody's business in Redis. */
  private keyOf({ scope, subject }: Counter): string {
    return `${this.config.prefix}:${scope}:${createHash('sha256').update(subject).digest('base64url')}`;
  }
}
