import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { RemovedDeliveries, WebhookSubscription } from '../subscriptions/webhook-subscription.schema';

const TOTALS = {
  user: 1,
  deliveryAttemptCount: 1,
  successfulDeliveryCount: 1,
  deliveryFailureCount: 1,
  removed: 1,
} as const;

/** A subscription's counts as they were read; deleted ones have them too. */
export type StoredCounts = Pick<WebhookSubscription, '_id' | keyof typeof TOTALS>;

/** What deliveries add up to. */
export interface DeliveryCounts {
  readonly attempts: number;
  readonly delivered: number;
  readonly failed: number;
}

/** The subscriptions' counts as they are mended. What moves them from attempt to attempt is with the runner's lease. */
@Injectable()
export class SubscriptionTotalsRepository {
  constructor(
    @InjectModel(WebhookSubscription.name) private readonly subscriptions: Model<WebhookSubscription>,
  ) {}

  /** The ids of all subscriptions in their order, in pages: those after `after`. */
  async listIdsAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.subscriptions
      .find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  find(id: Types.ObjectId): Promise<StoredCounts | null> {
    return this.subscriptions.findById(id, TOTALS).lean<StoredCounts>();
  }

  findMany(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<StoredCounts[]> {
    return this.subscriptions.find({ _id: { $in: ids }, user: account.user }, TOTALS).lean<StoredCounts[]>();
  }

  /** Sets the counts. @returns false when they, or what they stand on, have moved since they were read. */
  async mend(read: StoredCounts, counted: DeliveryCounts): Promise<boolean> {
    const { _id, deliveryAttemptCount, successfulDeliveryCount, deliveryFailureCount, removed } = read;
    const result = await this.subscriptions.updateOne(
      {
        _id,
        deliveryAttemptCount,
        successfulDeliveryCount,
        deliveryFailureCount,
        'removed.chunk': removed?.chunk ?? { $exists: false },
      },
      {
        $set: {
          deliveryAttemptCount: counted.attempts,
          successfulDeliveryCount: counted.delivered,
          deliveryFailureCount: counted.failed,
        },
      },
    );
    return result.matchedCount === 1;
  }

  /** Adds deliveries that are being removed to what the counts stand on: once, after the chunk before. */
  async setRemoved(
    account: AccountScope,
    id: Types.ObjectId,
    before: Types.ObjectId | undefined,
    removed: RemovedDeliveries,
  ): Promise<void> {
    await this.subscriptions.updateOne(
      { _id: id, user: account.user, 'removed.chunk': before ?? { $exists: false } },
      { $set: { removed } },
    );
  }
}
