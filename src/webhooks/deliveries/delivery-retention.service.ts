import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS } from '../../common/durations';
import { RetentionConfig } from '../../config/sections/retention.config';
import { removableBefore } from '../../totals/periods';
import { SubscriptionTotalsRepository } from './subscription-totals.repository';
import { SubscriptionTotals } from './subscription-totals.service';

/** Removes old deliveries once they are part of the counters of their subscription. */
@Injectable()
export class DeliveryRetention {
  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: SubscriptionTotalsRepository,
    private readonly totals: SubscriptionTotals,
    private readonly clock: Clock,
  ) {}

  readonly intervalMs = HOUR_MS;

  /** @param now a time of the database. */
  async maintain(account: AccountScope, now: Date): Promise<void> {
    if (this.config.deliveriesDays === 0) return;
    const closed = await this.totals.closeUntil(await this.repository.list(account), now);
    await this.removeCounted(account, removableBefore(closed));
  }

  /** @param countedBefore a time of the database, up to which all counters are closed. */
  async removeCounted(account: AccountScope, countedBefore: Date): Promise<void> {
    const { deliveriesDays } = this.config;
    const createdBefore = new Date(this.clock.now().getTime() - deliveriesDays * DAY_MS);
    while (await this.repository.removeCounted(account, createdBefore, countedBefore));
  }
}
