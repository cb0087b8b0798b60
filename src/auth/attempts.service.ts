import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { REDIS } from '../common/redis/redis.module';
import { withinLimit } from '../common/redis/within-limit';
import { RedisConfig } from '../config/redis.config';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_S, AttemptKind } from './attempt-limits';
import { TooManyAttempts } from './auth.errors';

/** Counts, and begins the window with the first; in one step, so that no counter stays without an end. */
const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
  return {count, redis.call('TTL', KEYS[1])}`;

/** How long Redis is left alone after it did not answer. */
const HOLD_OFF_MS = 5_000;

/** Takes one back, unless the window has ended meanwhile. */
const FORGIVE = `
  if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('DECR', KEYS[1]) end
  return 0`;

/** Somebody trying something. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** Whom it is about, by any name the asker uses: it need not exist. */
  readonly account: string;
  /** Where it comes from. */
  readonly address: string;
}

interface Counter {
  readonly key: string;
  readonly most: number;
}

/** Slows guessing down, by account and by address. Without Redis nothing is slowed. */
@Injectable()
export class AttemptsService {
  private heldOffUntil = 0;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly config: RedisConfig,
  ) {}

  /**
   * Counts an attempt before it is made, so that many at once are as slow as one after the other.
   * @throws TooManyAttempts
   */
  async count(attempt: Attempt): Promise<void> {
    const counted = await this.ask(attempt, async ({ key, most }) => {
      const answer: unknown = await this.redis.eval(COUNT, 1, key, ATTEMPT_WINDOW_S);
      const [count, secondsLeft] = Array.isArray(answer) ? answer.map(Number) : [];
      return { isOver: (count ?? 0) > most, secondsLeft: secondsLeft ?? 0 };
    });
    const over = counted.filter(({ isOver }) => isOver);
    if (over.length > 0) {
      throw new TooManyAttempts(Math.max(1, ...over.map(({ secondsLeft }) => secondsLeft)));
    }
  }

  /** Takes an attempt back that was none: it succeeded. */
  async forgive(attempt: Attempt): Promise<void> {
    await this.ask(attempt, ({ key }) => this.redis.eval(FORGIVE, 1, key));
  }

  /** Asks Redis about each counter; no answers when it is away, and nobody else waits for it then. */
  private async ask<T>(attempt: Attempt, question: (counter: Counter) => Promise<T>): Promise<T[]> {
    if (performance.now() < this.heldOffUntil) return [];
    const answers = await withinLimit(Promise.all(this.countersOf(attempt).map(question)));
    if (!answers) this.heldOffUntil = performance.now() + HOLD_OFF_MS;
    return answers ?? [];
  }

  private countersOf({ kind, account, address }: Attempt): Counter[] {
    const { pair, account: byAccount, address: byAddress } = ATTEMPT_LIMITS[kind];
    // Hashed: a key's length is ours to choose, and addresses are nobody's business in Redis.
    const key = (scope: string, name: string) =>
      `${this.config.prefix}:attempts:${kind}:${scope}:${createHash('sha256').update(name).digest('base64url')}`;
    return [
      { key: key('pair', `${account}\n${address}`), most: pair },
      { key: key('account', account), most: byAccount },
      { key: key('address', address), most: byAddress },
    ];
  }
}
