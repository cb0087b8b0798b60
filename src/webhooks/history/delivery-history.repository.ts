import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, QueryFilter, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { type LargeDocument, projectLargeDocuments } from '../../infrastructure/mongo/large-documents';
import { MAX_BATCHED_DELIVERY_BYTES } from '../deliveries/deliveries.repository';
import { Delivery, DeliveryStatus } from '../deliveries/delivery.schema';
import { EMITTED_EVENTS, type WebhookEvent } from '../webhook-event';

/** Absent fields do not filter. Both ends of `between` are inclusive. */
export interface HistoryFilter {
  readonly status?: DeliveryStatus;
  readonly event?: WebhookEvent;
  readonly device?: Types.ObjectId;
  readonly subscription?: Types.ObjectId;
  readonly between?: { readonly start: Date; readonly end: Date };
}

/** A delivery without its body, response and attempts. */
export type DeliverySummary = Pick<Delivery, '_id' | keyof typeof SUMMARY_FIELDS>;

const SUMMARY_FIELDS = {
  webhookSubscription: 1,
  event: 1,
  reportedStatus: 1,
  computedStatus: 1,
  deliveryUrl: 1,
  deliveryAttemptCount: 1,
  deliveredAt: 1,
  lastDeliveryAttemptAt: 1,
  nextDeliveryAttemptAt: 1,
  httpStatusCode: 1,
  createdAt: 1,
} as const satisfies Partial<Record<keyof Delivery, 1>>;

const LISTED_FIELDS = ['device'] as const;

export type ListedDelivery = Delivery | LargeDocument<Delivery, (typeof LISTED_FIELDS)[number]>;

/** Leaves out the body of oversized deliveries. */
const BOUNDED_BODY = {
  $set: { body: { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, MAX_BATCHED_DELIVERY_BYTES] }, '$body', ''] } },
};

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

  /** Lists a page, newest first. Large deliveries are listed without their content; see `readLarge`. */
  list(
    account: AccountScope,
    filter: HistoryFilter,
    { skip, limit }: { skip: number; limit: number },
  ): Promise<ListedDelivery[]> {
    return this.deliveries.aggregate<ListedDelivery>([
      { $match: filterOf(account, filter) },
      { $sort: { createdAt: -1, _id: -1 } },
      { $skip: skip },
      { $limit: limit },
      projectLargeDocuments(LISTED_FIELDS),
    ]);
  }

  /** Reads deliveries that `list` returned as large, in no particular order. */
  readLarge(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Delivery[]> {
    return this.deliveries.aggregate<Delivery>([
      { $match: { _id: { $in: [...ids] }, user: account.user } },
      BOUNDED_BODY,
    ]);
  }

  /** The deliveries of a message to these subscriptions, in no particular order. */
  listOfMessage(
    account: AccountScope,
    subscriptions: readonly Types.ObjectId[],
    message: Types.ObjectId,
    limit: number,
  ): Promise<DeliverySummary[]> {
    return this.deliveries
      .find(ofMessage(account, subscriptions, message), SUMMARY_FIELDS)
      .limit(limit)
      .lean<DeliverySummary[]>();
  }

  countOfMessage(
    account: AccountScope,
    subscriptions: readonly Types.ObjectId[],
    message: Types.ObjectId,
  ): Promise<number> {
    return this.deliveries.countDocuments(ofMessage(account, subscriptions, message));
  }

  count(account: AccountScope, filter: HistoryFilter): Promise<number> {
    return this.deliveries.countDocuments(filterOf(account, filter));
  }
}

/** Served by the unique index of relaying, because there is none by message. */
const ofMessage = (
  { user }: AccountScope,
  subscriptions: readonly Types.ObjectId[],
  message: Types.ObjectId,
) => ({ user, webhookSubscription: { $in: subscriptions }, message });

function filterOf(account: AccountScope, filter: HistoryFilter): QueryFilter<Delivery> {
  const { status, event, device, subscription, between } = filter;
  return {
    user: account.user,
    ...(subscription && { webhookSubscription: subscription }),
    ...(status && { computedStatus: status }),
    // `SMS_STATUS_UPDATED` is never emitted, so it matches nothing.
    ...(event && { event: { $in: EMITTED_EVENTS.filter((emitted) => emitted === event) } }),
    ...(device && { device }),
    ...(between && { createdAt: { $gte: between.start, $lte: between.end } }),
  };
}
