import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, QueryFilter, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { MESSAGE_EVENTS } from '../messages/message-event';
import { MAX_SHARED_DELIVERY_BYTES } from './deliveries.repository';
import { Delivery, DeliveryStatus } from './delivery.schema';
import type { WebhookEvent } from './webhook-event';

/** Which deliveries of an account; all of them where nothing is said. Both ends of the time are included. */
export interface HistoryFilter {
  readonly status?: DeliveryStatus;
  readonly event?: WebhookEvent;
  readonly device?: Types.ObjectId;
  readonly subscription?: Types.ObjectId;
  readonly between?: { readonly start: Date; readonly end: Date };
}

/** The body of a delivery that an earlier version made larger than any is made today is left out. */
const BOUNDED_BODY = {
  $set: { body: { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, MAX_SHARED_DELIVERY_BYTES] }, '$body', ''] } },
};

/** Deliveries as their owner reads them. */
@Injectable()
export class DeliveryHistoryRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  async find(account: AccountScope, id: Types.ObjectId): Promise<Delivery | null> {
    const [delivery] = await this.deliveries.aggregate<Delivery>([
      { $match: { _id: id, user: account.user } },
      BOUNDED_BODY,
    ]);
    return delivery ?? null;
  }

  /** A page of the history, newest first. */
  list(
    account: AccountScope,
    filter: HistoryFilter,
    { skip, limit }: { skip: number; limit: number },
  ): Promise<Delivery[]> {
    return this.deliveries.aggregate<Delivery>([
      { $match: conditionOf(account, filter) },
      { $sort: { createdAt: -1, _id: -1 } },
      { $skip: skip },
      { $limit: limit },
      BOUNDED_BODY,
    ]);
  }

  count(account: AccountScope, filter: HistoryFilter): Promise<number> {
    return this.deliveries.countDocuments(conditionOf(account, filter));
  }
}

function conditionOf(account: AccountScope, filter: HistoryFilter): QueryFilter<Delivery> {
  const { status, event, device, subscription, between } = filter;
  return {
    user: account.user,
    ...(subscription && { webhookSubscription: subscription }),
    ...(status && { computedStatus: status }),
    // What is never emitted is never delivered.
    ...(event && { event: { $in: MESSAGE_EVENTS.filter((emitted) => emitted === event) } }),
    ...(device && { device }),
    ...(between && { createdAt: { $gte: between.start, $lte: between.end } }),
  };
}
