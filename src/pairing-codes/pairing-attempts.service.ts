import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../common/durations';
import { AUTH_ATTEMPT_WINDOW_S } from '../auth/limits/auth-attempt-limits';
import { AuthAttemptLimiter } from '../auth/limits/auth-attempt-limiter.service';
import { type RateLimiter, RateLimiterFactory } from '../infrastructure/redis/rate-limiter';

/** Wrong tries of all addresses in the window of AuthAttemptLimiter, after which each try waits. */
export const MAX_PROMPT_TRIES = 100;
/** Far below the ten seconds after which the app gives up. */
const DELAY_MS = 2 * SECOND_MS;

const ALL = 'all';

/** Limits tries at pairing codes by address. Their total only delays each one, so that nobody can block pairing for others. */
@Injectable()
export class PairingAttempts {
  private readonly total: RateLimiter;

  constructor(
    private readonly limiter: AuthAttemptLimiter,
    limits: RateLimiterFactory,
  ) {
    const scope = 'attempts:pairing:all';
    this.total = limits.create({ scope, max: MAX_PROMPT_TRIES, windowS: AUTH_ATTEMPT_WINDOW_S });
  }

  /**
   * Counts a try as wrong until `succeeded` is called.
   * @throws TooManyAttempts
   */
  async begin(address: string): Promise<{ succeeded(): Promise<void> }> {
    const attempt = { kind: 'pairing', account: ALL, address } as const;
    await this.limiter.count(attempt);
    const { isExceeded } = await this.total.consume(ALL);
    if (isExceeded) await sleep(DELAY_MS);
    return {
      succeeded: async () => {
        await Promise.all([this.limiter.refund(attempt), this.total.refund(ALL)]);
      },
    };
  }
}
