import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { WebhookSubscription } from '../webhook-subscription.schema';
import { type CountChange, Delivery } from './delivery.schema';

export type SubscriptionCounts = Omit<CountChange, 'at'>;
export type CountedSubscription = Pick<WebhookSubscription, '_id' | 'user' | 'countedThrough'>;
export type StoredCounters = Pick<WebhookSubscription, '_id' | 'user' | keyof typeof COUNTER_FIELDS>;

const COUNTER_FIELDS = {
  user: 1,
  countedThrough: 1,
  deliveryAttemptCount: 1,
  successfulDeliveryCount: 1,
  deliveryFailureCount: 1,
} as const;

const EPOCH = new Date(0);
const REMOVAL_BATCH_SIZE = 1_000;

/** Sums the changes that deliveries record, and adds them to the counters of subscriptions. */
@Injectable()
export class SubscriptionTotalsRepository {
  constructor(
    @InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>,
    @InjectModel(WebhookSubscription.name) private readonly subscriptions: Model<WebhookSubscription>,
  ) {}

  /** All subscriptions of an account, deleted ones included. */
  list(account: AccountScope): Promise<CountedSubscription[]> {
    return this.subscriptions
      .find({ user: account.user }, { user: 1, countedThrough: 1 })
      .lean<CountedSubscription[]>();
  }

  /** The stored counters of subscriptions that exist, by id in hexadecimal. */
  async readCounters(ids: readonly Types.ObjectId[]): Promise<Map<string, StoredCounters>> {
    const found = await this.subscriptions
      .find({ _id: { $in: ids } }, COUNTER_FIELDS)
      .lean<StoredCounters[]>();
    return new Map(found.map((counters) => [counters._id.toHexString(), counters]));
  }

  /** Sums the changes that the counters do not include. @param to exclusive; by default up to now. */
  async sumOpen(
    { _id, user, countedThrough = EPOCH }: CountedSubscription,
    to?: Date,
  ): Promise<SubscriptionCounts> {
    const [sum] = await this.deliveries.aggregate<SubscriptionCounts>([
      { $match: { user, webhookSubscription: _id, countedAt: { $gte: countedThrough } } },
      { $unwind: '$changes' },
      { $match: { 'changes.at': { $gte: countedThrough, ...(to && { $lt: to }) } } },
      {
        $group: {
          _id: null,
          attempts: { $sum: '$changes.attempts' },
          delivered: { $sum: '$changes.delivered' },
          failed: { $sum: '$changes.failed' },
        },
      },
    ]);
    return sum ?? { attempts: 0, delivered: 0, failed: 0 };
  }

  /** Adds the changes up to `to`. @returns false if `countedThrough` has changed, or the subscription was erased. */
  async advance(
    { _id, countedThrough }: CountedSubscription,
    to: Date,
    { attempts, delivered, failed }: SubscriptionCounts,
  ): Promise<boolean> {
    const $inc = {
      deliveryAttemptCount: attempts,
      successfulDeliveryCount: delivered,
      deliveryFailureCount: failed,
    };
    const { matchedCount } = await this.subscriptions.updateOne(
      { _id, countedThrough: countedThrough ?? { $exists: false } },
      { $inc, $set: { countedThrough: to } },
    );
    return matchedCount === 1;
  }

  /**
   * Removes up to 1,000 deliveries without a scheduled attempt.
   * @param countedBefore a time of the database: later changes may not be part of the counters.
   * @returns whether any were found.
   */
  async removeCounted({ user }: AccountScope, createdBefore: Date, countedBefore: Date): Promise<boolean> {
    const condition = {
      user,
      createdAt: { $lt: createdBefore },
      nextDeliveryAttemptAt: { $exists: false },
      countedAt: { $not: { $gte: countedBefore } },
    };
    const found = await this.deliveries.find(condition, { _id: 1 }).limit(REMOVAL_BATCH_SIZE).lean();
    const _id = { $in: found.map((delivery) => delivery._id) };
    if (found.length > 0) await this.deliveries.deleteMany({ ...condition, _id });
    return found.length > 0;
  }
}
