import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import type { Position } from '../messages/message-cursor';
import { DeliveryHistoryService } from './delivery-history.service';
import { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { RedeliveryRepository, ReplaySpan } from './redelivery.repository';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { SubscriptionsRepository } from './subscriptions.repository';
import {
  DeliveryNotFound,
  DeliveryUnderWay,
  WebhookDeleted,
  WebhookNotFound,
  WebhookPaused,
} from './webhooks.errors';

const CHUNK = 500;

/** Deliveries one request puts back; whoever has more asks again from where it stopped. */
const MOST_PER_REPLAY = 5_000;

export interface Replay {
  readonly scheduledCount: number;
  /** Where to go on; absent when the span is done. */
  readonly next?: Position;
}

/** Delivers again what its owner asks for: the same records, bodies and keys. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly history: DeliveryHistoryService,
    private readonly redelivery: RedeliveryRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly leases: RunnerLeasesRepository,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes one more attempt, beyond those of the schedule.
   * @returns the delivery, with the attempt still to come.
   * @throws DeliveryNotFound, DeliveryUnderWay when it is being attempted already, WebhookPaused, WebhookDeleted
   */
  async redeliver(account: AccountScope, id: Types.ObjectId): Promise<Delivery> {
    const { webhookSubscription } = await this.history.get(account, id);
    await this.assertActive(account, webhookSubscription);
    const due = await this.schedule(
      webhookSubscription,
      await this.redelivery.redeliver([id], this.clock.now()),
    );
    const delivery = await this.history.get(account, id);
    if (due === 0 && !this.isToCome(delivery)) throw new DeliveryUnderWay();
    await this.queue.wake([webhookSubscription]);
    return delivery;
  }

  /**
   * Makes all deliveries of a span again, each with the attempts of the whole schedule.
   * @throws WebhookNotFound, WebhookPaused, WebhookDeleted
   */
  async replay(
    account: AccountScope,
    subscription: Types.ObjectId,
    span: ReplaySpan,
    start?: Position,
  ): Promise<Replay> {
    await this.assertActive(account, subscription);
    let scheduledCount = 0;
    let next = start;
    for (let seen = 0; seen < MOST_PER_REPLAY; seen += CHUNK) {
      const chunk = await this.redelivery.list(account, subscription, span, next, CHUNK);
      const last = chunk.at(-1);
      if (last) {
        const ids = chunk.map(({ _id }) => _id);
        scheduledCount += await this.schedule(
          subscription,
          await this.redelivery.replay(ids, this.clock.now()),
        );
        await this.queue.wake([subscription]);
        next = { createdAt: last.createdAt, id: last._id };
      }
      if (chunk.length < CHUNK) return { scheduledCount };
    }
    return { scheduledCount, ...(next && { next }) };
  }

  private async schedule(
    subscription: Types.ObjectId,
    { due, revived }: { readonly due: number; readonly revived: number },
  ): Promise<number> {
    if (revived > 0) await this.leases.countFailed(subscription, -revived);
    return due;
  }

  /** Whether an attempt was asked for before, and nobody has begun it. @throws DeliveryNotFound when it is removed. */
  private isToCome({ isRedelivery, claimedUntil, removal }: Delivery): boolean {
    if (removal) throw new DeliveryNotFound();
    return isRedelivery === true && !(claimedUntil && claimedUntil > this.clock.now());
  }

  private async assertActive(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const subscription = await this.subscriptions.findEver(account, id);
    if (!subscription) throw new WebhookNotFound();
    if (subscription.slot === undefined) throw new WebhookDeleted();
    if (!subscription.isActive) throw new WebhookPaused();
  }
}
