import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Delivery } from '../deliveries/delivery.schema';
import type { DeliveryCounts } from './subscription-totals.repository';

const TALLIED = { webhookSubscription: 1, computedStatus: 1, deliveryAttemptCount: 1 } as const;

/** What of a delivery is added to the stored base before it goes. */
export type RemovedDelivery = Pick<Delivery, '_id' | keyof typeof TALLIED>;

/** No attempt is to come, and so none is under way. */
const HAS_ENDED = { nextDeliveryAttemptAt: { $exists: false } };

/** Takes deliveries off the record, and counts those that are on it. */
@Injectable()
export class DeliveryRemovalRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /** Old deliveries of an account that have ended, the oldest first, from `from` on. */
  listRemovable(
    account: AccountScope,
    createdBefore: Date,
    from: Date,
    limit: number,
  ): Promise<Pick<Delivery, '_id' | 'createdAt'>[]> {
    return this.deliveries
      .find(
        { user: account.user, createdAt: { $gte: from, $lt: createdBefore }, ...HAS_ENDED },
        { createdAt: 1 },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .lean<Pick<Delivery, '_id' | 'createdAt'>[]>();
  }

  /**
   * Marks those of these deliveries that have still ended: from here on they cannot be redelivered. A mark of an earlier
   * chunk was left by somebody who came too late to it.
   * @returns all that carry the mark.
   */
  async mark(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    chunk: Types.ObjectId,
  ): Promise<RemovedDelivery[]> {
    await this.deliveries.updateMany(
      { _id: { $in: ids }, user, ...HAS_ENDED, removal: { $not: { $gt: chunk } } },
      { $set: { removal: chunk } },
    );
    return this.deliveries
      .find({ _id: { $in: ids }, user, removal: chunk }, TALLIED)
      .lean<RemovedDelivery[]>();
  }

  /** Removes what of these deliveries carries the chunk's mark. */
  async remove({ user }: AccountScope, ids: readonly Types.ObjectId[], chunk: Types.ObjectId): Promise<void> {
    await this.deliveries.deleteMany({ _id: { $in: ids }, user, removal: chunk });
  }

  /** What the deliveries of a subscription add up to. */
  async countOf({ user }: AccountScope, subscription: Types.ObjectId): Promise<DeliveryCounts> {
    const ended = (status: Delivery['computedStatus']) => ({
      $sum: { $cond: [{ $eq: ['$computedStatus', status] }, 1, 0] },
    });
    const [counts] = await this.deliveries.aggregate<DeliveryCounts>([
      { $match: { user, webhookSubscription: subscription } },
      {
        $group: {
          _id: null,
          attempts: { $sum: '$deliveryAttemptCount' },
          delivered: ended('delivered'),
          failed: ended('failed'),
        },
      },
    ]);
    return counts ?? { attempts: 0, delivered: 0, failed: 0 };
  }
}
