import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { MESSAGE_EVENTS, type MessageEvent } from '../messages/message-event';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ERROR_TYPES = ['retryable', 'non-retryable'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** One attempt, as its owner reads it when something is wrong. */
export interface AttemptRecord {
  readonly _id: Types.ObjectId;
  readonly at: Date;
  readonly durationMs: number;
  readonly httpStatusCode?: number;
  /** Why it failed, in words. */
  readonly error?: string;
}

/** Attempts that are remembered one by one. */
export const MOST_ATTEMPTS_KEPT = 20;

/**
 * One event on its way to one subscription. The fields are the specification's; the service's own follow. The
 * idempotency key is the id.
 */
@Schema({ collection: 'webhookdeliveries', versionKey: false })
export class Delivery {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  webhookSubscription!: Types.ObjectId;

  @Prop({ type: String, required: true, enum: MESSAGE_EVENTS })
  event!: MessageEvent;

  @Prop({ type: String, required: true, enum: DELIVERY_STATUSES })
  computedStatus!: DeliveryStatus;

  @Prop({ type: String })
  deliveryUrl?: string;

  @Prop({ type: Number, required: true })
  deliveryAttemptCount!: number;

  @Prop({ type: Date })
  deliveredAt?: Date;

  @Prop({ type: Date })
  lastDeliveryAttemptAt?: Date;

  /** Present while an attempt is still to come. */
  @Prop({ type: Date })
  nextDeliveryAttemptAt?: Date;

  @Prop({ type: Date })
  deliveryAttemptAbortedAt?: Date;

  @Prop({ type: String, enum: ERROR_TYPES })
  errorType?: ErrorType;

  @Prop({ type: Number })
  httpStatusCode?: number;

  @Prop({ type: String })
  responseBody?: string;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  // From here on the service's own.

  @Prop({ type: Types.ObjectId, required: true })
  message!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  device!: Types.ObjectId;

  /** Empty for all events but `UNKNOWN_STATE`. */
  @Prop({ type: String, default: '' })
  reportedStatus!: string;

  /** The request that raised the event, for the log. */
  @Prop({ type: String })
  requestId?: string;

  /** The exact text that is posted, so that every attempt sends and signs the same bytes. */
  @Prop({ type: String, required: true })
  body!: string;

  @Prop({ type: [Object] })
  attempts!: AttemptRecord[];

  /** The next attempt was asked for by the owner: it is one beyond the schedule. */
  @Prop({ type: Boolean })
  isRedelivery?: boolean;

  /** Attempts made that were asked for. */
  @Prop({ type: Number, required: true })
  redeliveryCount!: number;

  /** Who is making an attempt, and until when nobody else may. */
  @Prop({ type: Types.ObjectId })
  claim?: Types.ObjectId;

  @Prop({ type: Date })
  claimedUntil?: Date;

  /** The chunk it is being removed with: nothing changes it any more. */
  @Prop({ type: Types.ObjectId })
  removal?: Types.ObjectId;
}

export const DeliverySchema = SchemaFactory.createForClass(Delivery);
DeliverySchema.index(
  { user: 1, webhookSubscription: 1, message: 1, event: 1, reportedStatus: 1 },
  { unique: true },
); // relaying an event twice creates nothing
DeliverySchema.index({ user: 1, createdAt: -1, _id: -1 }); // the history
DeliverySchema.index({ user: 1, computedStatus: 1, createdAt: -1, _id: -1 }); // the history by status: failed ones are rare
DeliverySchema.index({ user: 1, device: 1, createdAt: -1, _id: -1 }); // the history of one device
DeliverySchema.index({ user: 1, webhookSubscription: 1, createdAt: -1, _id: -1 }); // the history of one subscription, however quiet it is; its counts
DeliverySchema.index(
  { webhookSubscription: 1, nextDeliveryAttemptAt: 1 },
  { partialFilterExpression: { nextDeliveryAttemptAt: { $exists: true } } },
); // what of a subscription is due; sweeper: which subscriptions have something due
