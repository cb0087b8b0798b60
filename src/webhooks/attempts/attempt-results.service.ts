import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Coalescer } from '../../common/coalescer';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { SubscriptionPauseService } from '../pausing/subscription-pause.service';
import { attemptSummary } from '../deliveries/attempt-summary';
import type { WebhookSubscription } from '../webhook-subscription.schema';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryMetrics } from '../deliveries/delivery.metrics';
import { Jitter } from './jitter';
import { type Attempt, type DeliveryUpdate, updateAfterAttempt } from '../deliveries/delivery-update';
import type { CountedUpdate } from '../deliveries/results-update';

const EPOCH = new Date(0);

@Injectable()
export class AttemptResults {
  private readonly coalescer = new Coalescer<readonly CountedUpdate[], DeliveryUpdate[]>(
    (batches) => this.storeBatches(batches),
    { sizeOf: (updates) => updates.length },
  );

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly jitter: Jitter,
    private readonly metrics: DeliveryMetrics,
    private readonly hints: LiveHints,
  ) {}

  /** @returns the results that were stored, and when retries are due. */
  async store(
    { _id, user, countedThrough = EPOCH }: WebhookSubscription,
    attempts: readonly Attempt[],
  ): Promise<{ stored: DeliveryUpdate[]; retries: Date[] }> {
    // Pause first: if the process dies in between, an attempt is repeated, but the pause is not lost.
    await this.pauseIfGone(_id, attempts);
    const updates = attempts.map((attempt) => ({
      update: updateAfterAttempt(attempt, this.jitter.next()),
      countedThrough,
    }));
    const stored = await this.coalescer.submit(updates);
    this.metrics.countFinished(attemptSummary(stored));
    const ids = stored.map(({ attempt }) => attempt.delivery._id);
    this.hints.publish({ user }, 'delivery', ids);
    return { stored, retries: stored.flatMap(({ nextAt }) => nextAt ?? []) };
  }

  private async storeBatches(batches: readonly (readonly CountedUpdate[])[]): Promise<DeliveryUpdate[][]> {
    const stored = new Set(await this.deliveries.storeResults(batches.flat()));
    return batches.map((batch) => batch.map(({ update }) => update).filter((update) => stored.has(update)));
  }

  /** Passes the URL that answered, because the owner may have changed it meanwhile. */
  private async pauseIfGone(subscription: Types.ObjectId, attempts: readonly Attempt[]): Promise<void> {
    const gone = attempts.filter(({ outcome }) => outcome.kind === 'non-retryable' && outcome.isGone);
    for (const deliveryUrl of new Set(gone.map((attempt) => attempt.deliveryUrl)))
      await this.pausing.pause(subscription, { deliveryUrl }, 'Paused: the endpoint answered 410 Gone');
  }
}
