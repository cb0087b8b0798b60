import { Injectable } from '@nestjs/common';
import { type RateLimit, RateLimits } from '../../common/redis/rate-limits';
import { LimitsConfig } from '../../config/limits.config';
import type { AccountScope } from '../account-scope';
import { RateLimited } from '../auth.errors';

const WINDOW_S = 60;

/** Phones of one account are rarely all busy at once. It also bounds the ids that are remembered for an account. */
const ACCOUNT_FACTOR = 20;

/** Limits what one phone asks in a minute, so that an app that repeats itself without end costs the others little. */
@Injectable()
export class PhoneRates {
  private readonly ofPhones: RateLimit;
  private readonly ofAccounts: RateLimit;

  constructor(
    private readonly config: LimitsConfig,
    limits: RateLimits,
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
   * @param device its id as the request names it; it need not exist.
   * @throws RateLimited
   */
  async count({ user }: AccountScope, device: string): Promise<void> {
    const { maxPhoneRequestsPerMinute: max } = this.config;
    if (max === 0) return;
    const account = user.toHexString();
    const all = await this.ofAccounts.count(account);
    if (all.isOver)
      throw new RateLimited(
        'by the phones of this account',
        max * ACCOUNT_FACTOR,
        performance.now() + all.msLeft,
      );
    const own = await this.ofPhones.count(`${account} ${device.toLowerCase()}`);
    if (own.isOver) throw new RateLimited('by one phone', max, performance.now() + own.msLeft);
  }
}
