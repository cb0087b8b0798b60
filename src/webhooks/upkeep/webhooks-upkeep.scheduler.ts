import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { Recounts } from '../../common/upkeep/recounts.service';
import { Removals } from '../../common/upkeep/removals.service';
import { DeliveryRetentionService } from './delivery-retention.service';
import { SubscriptionTotalsRecount } from './subscription-totals.recount';

const CHECK_INTERVAL_MS = 60_000;

/** Counts the subscriptions' totals anew, and removes old deliveries. Safe to run in every process at once. */
@Injectable()
export class WebhooksUpkeepScheduler {
  private readonly sweeping = new NonOverlappingJob(WebhooksUpkeepScheduler.name);

  constructor(
    private readonly recounts: Recounts,
    private readonly totals: SubscriptionTotalsRecount,
    private readonly removals: Removals,
    private readonly deliveries: DeliveryRetentionService,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.recounts.run(this.totals);
      await this.removals.run(this.deliveries);
    });
  }
}
