import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { MaintenanceConfig } from '../../config/sections/maintenance.config';
import { RetentionConfig } from '../../config/sections/retention.config';
import { SubscriptionTotalsRepository } from '../../webhooks/deliveries/subscription-totals.repository';
import { SubscriptionTotals } from '../../webhooks/deliveries/subscription-totals.service';
import { closableUntil } from '../rollups/periods';
import { removableBefore, type Retention, retentionIntervalMs } from './retention';
import { DeliveryRetentionRepository } from './delivery-retention.repository';

/** Removes old deliveries once they are part of the counters of their subscription. */
@Injectable()
export class DeliveryRetention implements Retention {
  constructor(
    private readonly config: RetentionConfig,
    private readonly maintenance: MaintenanceConfig,
    private readonly repository: DeliveryRetentionRepository,
    private readonly subscriptions: SubscriptionTotalsRepository,
    private readonly totals: SubscriptionTotals,
    private readonly clock: Clock,
  ) {}

  get intervalMs(): number {
    return retentionIntervalMs(this.config.deliveriesDays);
  }

  async removeOld(account: AccountScope, now: Date): Promise<void> {
    if (this.config.deliveriesDays === 0) return;
    const to = closableUntil(now, this.maintenance.rollupPeriodSeconds);
    for (const subscription of await this.subscriptions.list(account))
      await this.totals.close(subscription, to);
    await this.removeCounted(account, removableBefore(to));
  }

  /** @param countedBefore a time of the database, up to which all counters are closed. */
  async removeCounted(account: AccountScope, countedBefore: Date): Promise<void> {
    const createdBefore = new Date(this.clock.now().getTime() - this.config.deliveriesDays * DAY_MS);
    while ((await this.repository.remove(account, createdBefore, countedBefore)) > 0);
  }
}
