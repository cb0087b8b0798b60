import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import type { Position } from '../../messages/lists/message-cursor';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { countChange } from '../deliveries/count-change';
import { Delivery, DeliveryStatus } from '../deliveries/delivery.schema';

/** Selects deliveries by creation time and status. */
export interface ReplayFilter {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly status: DeliveryStatus;
}

/** Reschedules deliveries at the request of their owner. */
@Injectable()
export class RedeliveryRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /** Lists the deliveries that match, oldest first. */
  list(
    account: AccountScope,
    subscription: Types.ObjectId,
    { from, to, status }: ReplayFilter,
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
   * Restarts the retry schedule of deliveries; skips those with an attempt in progress.
   * @returns how many are due now.
   */
  replay(account: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<number> {
    // Counts past attempts as redeliveries, so that the schedule starts again.
    const restart = { nextDeliveryAttemptAt: now, redeliveryCount: '$deliveryAttemptCount' };
    const unset = ['isRedelivery', 'scheduledAttemptAt', 'deliveryAttemptAbortedAt', 'errorType'];
    return this.makeDue(account, ids, {}, restart, unset, now);
  }

  /**
   * Makes one extra attempt due now, and keeps the time of the next scheduled one; skips deliveries with an attempt in
   * progress or a pending redelivery.
   * @returns how many are due now.
   */
  redeliver(account: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<number> {
    const dueNow = {
      isRedelivery: true,
      scheduledAttemptAt: coalesce('$nextDeliveryAttemptAt'),
      nextDeliveryAttemptAt: now,
    };
    return this.makeDue(account, ids, { isRedelivery: { $ne: true } }, dueNow, ['errorType'], now);
  }

  /** @param condition of those that have not failed. */
  private async makeDue(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    condition: object,
    set: object,
    unset: string[],
    now: Date,
  ): Promise<number> {
    const idle = { user, _id: { $in: ids }, claimedUntil: { $not: { $gt: now } } };
    const update = (fields: object) => [{ $set: { ...set, ...fields } }, { $unset: unset }];
    // In this order, because the second update makes failed deliveries match the first.
    const others = await this.deliveries.updateMany(
      { ...idle, ...condition, computedStatus: { $ne: 'failed' } },
      update({}),
      { updatePipeline: true },
    );
    const failed = await this.deliveries.updateMany(
      { ...idle, computedStatus: 'failed' },
      update({ computedStatus: 'retrying', ...countChange({ failed: -1 }) }),
      { updatePipeline: true, maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    return failed.modifiedCount + others.modifiedCount;
  }
}
