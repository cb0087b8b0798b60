import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { LiveHints } from '../../infrastructure/live/live-hints';
import type { Position } from '../../messages/lists/message-cursor';
import { DeliveryHistoryService } from '../history/delivery-history.service';
import { Delivery } from '../deliveries/delivery.schema';
import { DeliveryQueue } from '../runners/delivery.queue';
import { RedeliveryRepository, ReplayFilter } from './redelivery.repository';
import { WebhookSubscriptionsRepository } from '../subscriptions/webhook-subscriptions.repository';
import { DeliveryUnderWay, WebhookDeleted, WebhookNotFound, WebhookPaused } from '../webhooks.errors';

const BATCH_SIZE = 500;

/** Deliveries per request; the response has a cursor for the next one. */
const MAX_REPLAYED_PER_REQUEST = 5_000;

export interface ReplayResult {
  readonly scheduledCount: number;
  /** Where to continue; absent when all are done. */
  readonly next?: Position;
}

/** Redelivers events at the request of their owner, with the same ids, bodies and idempotency keys. */
@Injectable()
export class WebhookRedeliveryService {
  constructor(
    private readonly history: DeliveryHistoryService,
    private readonly redelivery: RedeliveryRepository,
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly queue: DeliveryQueue,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  /**
   * Schedules an extra attempt, outside the retry schedule, which stays as it is.
   * @returns the delivery, with the scheduled attempt.
   * @throws DeliveryNotFound, DeliveryUnderWay when an attempt is in progress, WebhookPaused, WebhookDeleted
   */
  async redeliver(account: AccountScope, id: Types.ObjectId): Promise<Delivery> {
    const { webhookSubscription } = await this.history.get(account, id);
    await this.assertActive(account, webhookSubscription);
    const due = await this.redelivery.redeliver(account, [id], this.clock.now());
    this.hints.publish(account, 'delivery', [id]);
    const delivery = await this.history.get(account, id);
    if (due === 0 && !this.isRedeliveryPending(delivery)) throw new DeliveryUnderWay();
    await this.queue.enqueue([webhookSubscription]);
    return delivery;
  }

  /**
   * Restarts the retry schedule of all deliveries that match.
   * @throws WebhookNotFound, WebhookPaused, WebhookDeleted
   */
  async replay(
    account: AccountScope,
    subscription: Types.ObjectId,
    filter: ReplayFilter,
    position?: Position,
  ): Promise<ReplayResult> {
    await this.assertActive(account, subscription);
    let scheduledCount = 0;
    let next = position;
    for (let seen = 0; seen < MAX_REPLAYED_PER_REQUEST; seen += BATCH_SIZE) {
      const batch = await this.redelivery.list(account, subscription, filter, next, BATCH_SIZE);
      const last = batch.at(-1);
      if (last) {
        const ids = batch.map(({ _id }) => _id);
        scheduledCount += await this.redelivery.replay(account, ids, this.clock.now());
        this.hints.publish(account, 'delivery', ids);
        await this.queue.enqueue([subscription]);
        next = { createdAt: last.createdAt, id: last._id };
      }
      if (batch.length < BATCH_SIZE) return { scheduledCount };
    }
    return { scheduledCount, ...(next && { next }) };
  }

  /** Whether a redelivery is scheduled and not in progress. */
  private isRedeliveryPending({ isRedelivery, claimedUntil }: Delivery): boolean {
    return isRedelivery === true && !(claimedUntil && claimedUntil > this.clock.now());
  }

  private async assertActive(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const subscription = await this.subscriptions.findIncludingDeleted(account, id);
    if (!subscription) throw new WebhookNotFound();
    if (subscription.slot === undefined) throw new WebhookDeleted();
    if (!subscription.isActive) throw new WebhookPaused();
  }
}
