import { Injectable } from '@nestjs/common';
import { RateLimit, RateLimits } from '../common/redis/rate-limits';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_S, AttemptKind } from './attempt-limits';
import { TooManyAttempts } from './auth.errors';

/** Somebody trying something. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** Whom it is about, by any name the asker uses: it need not exist. */
  readonly account: string;
  /** Where it comes from. */
  readonly address: string;
}

interface CountedAttempt {
  readonly limit: RateLimit;
  readonly subject: string;
}

/** Slows guessing down, by account and by address. While Redis is away each process does so by itself. */
@Injectable()
export class AttemptsService {
  private readonly limits = new Map<string, RateLimit>();

  constructor(private readonly rateLimits: RateLimits) {}

  /**
   * Counts an attempt before it is made, so that many at once are as slow as one after the other.
   * @throws TooManyAttempts
   */
  async count(attempt: Attempt): Promise<void> {
    const counted = await Promise.all(
      this.countersOf(attempt).map(({ limit, subject }) => limit.count(subject)),
    );
    const over = counted.filter(({ isOver }) => isOver);
    if (over.length > 0) {
      const msLeft = Math.max(...over.map((counter) => counter.msLeft));
      throw new TooManyAttempts(Math.max(1, Math.ceil(msLeft / 1_000)));
    }
  }

  /** Takes an attempt back that was none: it succeeded. */
  async forgive(attempt: Attempt): Promise<void> {
    await Promise.all(this.countersOf(attempt).map(({ limit, subject }) => limit.takeBack(subject)));
  }

  private countersOf({ kind, account, address }: Attempt): CountedAttempt[] {
    const { pair, account: byAccount, address: byAddress } = ATTEMPT_LIMITS[kind];
    const counters = [
      { of: 'pair', subject: `${account}\n${address}`, max: pair },
      { of: 'account', subject: account, max: byAccount },
      { of: 'address', subject: address, max: byAddress },
    ];
    return counters
      .filter(({ max }) => max < Infinity)
      .map(({ of, subject, max }) => ({ limit: this.limitOf(`attempts:${kind}:${of}`, max), subject }));
  }

  private limitOf(scope: string, max: number): RateLimit {
    const limit = this.limits.get(scope) ?? this.rateLimits.create({ scope, max, windowS: ATTEMPT_WINDOW_S });
    this.limits.set(scope, limit);
    return limit;
  }
}
