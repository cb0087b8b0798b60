import { Injectable } from '@nestjs/common';
import { type RateLimiter, RateLimiterFactory } from '../../infrastructure/redis/rate-limiter';
import { LimitsConfig } from '../../config/sections/limits.config';
import type { AccountScope } from '../account-scope';
import { RateLimited } from './limit.errors';

const WINDOW_S = 60;

/** The limit of an account as a multiple of the limit of a phone; it also bounds the counters per account. */
const ACCOUNT_FACTOR = 20;

/** Limits the requests of one phone per minute, so that an app in a retry loop does not slow down other phones. */
@Injectable()
export class PhoneRateLimiter {
  private readonly ofPhones: RateLimiter;
  private readonly ofAccounts: RateLimiter;

  constructor(
    private readonly config: LimitsConfig,
    limits: RateLimiterFactory,
  ) {
    const { maxPhoneRequestsPerMinute: max } = config;
    this.ofPhones = limits.createLocal({ scope: 'rates:phone', max, windowS: WINDOW_S });
    this.ofAccounts = limits.createLocal({
      scope: 'rates:phones',
      max: max * ACCOUNT_FACTOR,
      windowS: WINDOW_S,
    });
  }

  /**
   * Counts a request of a phone.
   * @param device the id in the path; it need not exist.
   */
  async count({ user }: AccountScope, device: string): Promise<void> {
    const { maxPhoneRequestsPerMinute: max } = this.config;
    if (max === 0) return;
    const account = user.toHexString();
    const all = await this.ofAccounts.consume(account);
    if (all.isExceeded)
      throw new RateLimited(
        'by the phones of this account',
        max * ACCOUNT_FACTOR,
        performance.now() + all.msLeft,
      );
    const own = await this.ofPhones.consume(`${account} ${device.toLowerCase()}`);
    if (own.isExceeded) throw new RateLimited('by one phone', max, performance.now() + own.msLeft);
  }
}
