import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { RateLimiter, RateLimiterFactory } from '../../infrastructure/redis/rate-limiter';
import { AUTH_ATTEMPT_LIMITS, AUTH_ATTEMPT_WINDOW_S, AuthAttemptKind } from './auth-attempt-limits';
import type { AccountCredentials } from '../accounts/accounts.repository';
import { isKnownAddress } from '../accounts/known-address';
import { TooManyAttempts } from './limit.errors';

export interface AuthAttempt {
  readonly kind: AuthAttemptKind;
  /** The account as the caller names it; it need not exist. */
  readonly account: string;
  readonly address: string;
}

interface Counter {
  readonly limit: RateLimiter;
  readonly subject: string;
}

/** Limits attempts at signing in, codes and e-mails, by account and by address. Without Redis each process counts alone. */
@Injectable()
export class AuthAttemptLimiter {
  private readonly limits = new Map<string, RateLimiter>();

  constructor(
    private readonly rateLimits: RateLimiterFactory,
    private readonly clock: Clock,
  ) {}

  /**
   * The attempt of a client on an account. Attempts from an address that signed in before have their own limits.
   * @param login the account; null if there is none.
   */
  attemptFor(
    kind: 'login' | 'mail',
    login: AccountCredentials | null,
    account: string,
    address: string,
  ): AuthAttempt {
    const isKnown = isKnownAddress(login, address, this.clock.now());
    return { kind: isKnown ? `${kind}-from-known-address` : kind, account, address };
  }

  /** Counts an attempt. Call it before the attempt, so that concurrent attempts cannot pass the limit. */
  async count(attempt: AuthAttempt): Promise<void> {
    const counted = await Promise.all(
      this.countersOf(attempt).map(({ limit, subject }) => limit.consume(subject)),
    );
    const over = counted.filter(({ isExceeded }) => isExceeded);
    if (over.length > 0) {
      const msLeft = Math.max(...over.map((counter) => counter.msLeft));
      throw new TooManyAttempts(Math.max(1, Math.ceil(msLeft / 1_000)));
    }
  }

  async refund(attempt: AuthAttempt): Promise<void> {
    await Promise.all(this.countersOf(attempt).map(({ limit, subject }) => limit.refund(subject)));
  }

  private countersOf({ kind, account, address }: AuthAttempt): Counter[] {
    const { pair, account: byAccount, address: byAddress } = AUTH_ATTEMPT_LIMITS[kind];
    const counters = [
      { of: 'pair', subject: `${account}\n${address}`, max: pair },
      { of: 'account', subject: account, max: byAccount },
      { of: 'address', subject: address, max: byAddress },
    ];
    return counters
      .filter(({ max }) => max < Infinity)
      .map(({ of, subject, max }) => ({ limit: this.limitOf(`attempts:${kind}:${of}`, max), subject }));
  }

  private limitOf(scope: string, max: number): RateLimiter {
    const limit =
      this.limits.get(scope) ?? this.rateLimits.create({ scope, max, windowS: AUTH_ATTEMPT_WINDOW_S });
    this.limits.set(scope, limit);
    return limit;
  }
}
