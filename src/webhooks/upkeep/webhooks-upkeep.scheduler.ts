import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Sweep } from '../../common/sweep';
import { Recounts } from '../../common/upkeep/recounts.service';
import { Rounds } from '../../common/upkeep/rounds.service';
import { RetentionConfig } from '../../config/retention.config';
import { DeliveryRetentionService } from './delivery-retention.service';
import { SubscriptionTotalsRecount } from './subscription-totals.recount';

const LOOK_EVERY_MS = 60_000;
const ROUND_EVERY_MS = 3_600_000;

/** Counts the subscriptions' totals anew, and removes old deliveries. Safe to run in every process at once. */
@Injectable()
export class WebhooksUpkeepScheduler {
  private readonly sweeping = new Sweep(WebhooksUpkeepScheduler.name);

  constructor(
    private readonly config: RetentionConfig,
    private readonly retention: DeliveryRetentionService,
    private readonly totals: SubscriptionTotalsRecount,
    private readonly recounts: Recounts,
    private readonly rounds: Rounds,
  ) {}

  @Interval(LOOK_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.recounts.run(this.totals);
      // Also when nothing is removed any more: what was begun must end.
      await this.retention.finishDead();
      if (this.config.deliveriesDays === 0) return;
      await this.rounds.run({
        name: 'retention:deliveries',
        everyMs: ROUND_EVERY_MS,
        step: (after) => this.retention.removeOldAfter(after),
      });
    });
  }
}
