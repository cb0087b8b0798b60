import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { SubscriptionPauseService } from '../subscriptions/subscription-pause.service';
import { type AttemptTotals, attemptTotals } from './attempt-totals';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { Jitter } from './jitter';
import type { WebhookSubscription } from '../subscriptions/webhook-subscription.schema';
import { type Attempt, settle } from './settlement';

const EPOCH = new Date(0);

/** Stores the results of attempts on the deliveries of a subscription. */
@Injectable()
export class AttemptResults {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly jitter: Jitter,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** @returns what to store on the subscription, and when retries are due. */
  async store(
    { _id, countedThrough = EPOCH }: WebhookSubscription,
    attempts: readonly Attempt[],
  ): Promise<{ totals: AttemptTotals; retries: Date[] }> {
    // Pause first: if the process dies in between, an attempt is repeated, but the pause is not lost.
    await this.pauseIfGone(_id, attempts);
    const settlements = attempts.map((attempt) => settle(attempt, this.jitter.next()));
    const written = settlements.length > 0 ? await this.deliveries.settle(settlements, countedThrough) : [];
    const totals = attemptTotals(written);
    this.metrics.countFinished(totals);
    return { totals, retries: written.flatMap(({ nextAt }) => nextAt ?? []) };
  }

  /** Passes the URL that answered, because the owner may have changed it meanwhile. */
  private async pauseIfGone(subscription: Types.ObjectId, attempts: readonly Attempt[]): Promise<void> {
    const gone = attempts.filter(({ outcome }) => outcome.kind === 'non-retryable' && outcome.isGone);
    for (const deliveryUrl of new Set(gone.map((attempt) => attempt.deliveryUrl)))
      await this.pausing.pause(subscription, { deliveryUrl }, 'Paused: the endpoint answered 410 Gone');
  }
}
