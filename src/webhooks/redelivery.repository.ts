import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import type { Position } from '../messages/message-cursor';
import { Delivery, DeliveryStatus } from './delivery.schema';

/** The deliveries of a subscription from a span of time. */
export interface ReplaySpan {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly status: DeliveryStatus;
}

/** Deliveries that their owner wants attempted once more. */
@Injectable()
export class RedeliveryRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /** Deliveries of a span, oldest first. */
  list(
    account: AccountScope,
    subscription: Types.ObjectId,
    { from, to, status }: ReplaySpan,
    after: Position | undefined,
    limit: number,
  ): Promise<Pick<Delivery, '_id' | 'createdAt'>[]> {
    return this.deliveries
      .find(
        {
          user: account.user,
          webhookSubscription: subscription,
          computedStatus: status,
          createdAt: { $gte: after && after.createdAt > from ? after.createdAt : from, $lt: to },
          ...(after && {
            $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after.id } }],
          }),
        },
        { createdAt: 1 },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .lean<Pick<Delivery, '_id' | 'createdAt'>[]>();
  }

  /**
   * Makes deliveries due at once, with all the attempts of the schedule before them; what is being attempted at this
   * moment is left alone.
   * @returns how many are due now, and how many of them had failed for good before.
   */
  async replay(ids: readonly Types.ObjectId[], now: Date): Promise<{ due: number; revived: number }> {
    const unclaimed = {
      _id: { $in: ids },
      claimedUntil: { $not: { $gt: now } },
      removal: { $exists: false },
    };
    // The attempts so far count no longer against the schedule.
    const afresh = { nextDeliveryAttemptAt: now, redeliveryCount: '$deliveryAttemptCount' };
    const without = { $unset: ['isRedelivery', 'deliveryAttemptAbortedAt', 'errorType'] };
    const update = (more: object) => [{ $set: { ...afresh, ...more } }, without];
    // In this order: those that failed must not be found twice.
    const others = await this.deliveries.updateMany(
      { ...unclaimed, computedStatus: { $ne: 'failed' } },
      update({}),
      { updatePipeline: true },
    );
    const failed = await this.deliveries.updateMany(
      { ...unclaimed, computedStatus: 'failed' },
      update({ computedStatus: 'retrying' }),
      { updatePipeline: true },
    );
    return { due: failed.modifiedCount + others.modifiedCount, revived: failed.modifiedCount };
  }

  /**
   * Makes one more attempt due at once; what is being attempted at this moment, or is to be redelivered already, is
   * left alone.
   * @returns how many are due now, and how many of them had failed for good before.
   */
  async redeliver(ids: readonly Types.ObjectId[], now: Date): Promise<{ due: number; revived: number }> {
    const unclaimed = {
      _id: { $in: ids },
      claimedUntil: { $not: { $gt: now } },
      removal: { $exists: false },
    };
    const dueNow = { isRedelivery: true, nextDeliveryAttemptAt: now };
    const failed = await this.deliveries.updateMany(
      { ...unclaimed, computedStatus: 'failed' },
      { $set: { ...dueNow, computedStatus: 'retrying' }, $unset: { errorType: 1 } },
    );
    const others = await this.deliveries.updateMany(
      { ...unclaimed, isRedelivery: { $ne: true } },
      { $set: dueNow, $unset: { errorType: 1 } },
    );
    return { due: failed.modifiedCount + others.modifiedCount, revived: failed.modifiedCount };
  }
}
