import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { EmittedEvent } from '../webhook-event';

export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ERROR_TYPES = ['retryable', 'non-retryable'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

export interface AttemptRecord {
  readonly _id: Types.ObjectId;
  readonly at: Date;
  readonly durationMs: number;
  readonly httpStatusCode?: number;
  readonly error?: string;
}

/** What one write adds to the counters of the subscription. */
export interface CountChange {
  /** A time of the database. */
  readonly at: Date;
  readonly attempts: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Attempts stored per delivery; older ones are dropped. */
export const MAX_STORED_ATTEMPTS = 20;

/** The delivery of one event to one subscription. The id is the idempotency key. */
@Schema({ collection: 'webhookdeliveries', versionKey: false })
export class Delivery {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  webhookSubscription!: Types.ObjectId;

  @Prop({ type: String })
  event!: EmittedEvent;

  @Prop({ type: String })
  computedStatus!: DeliveryStatus;

  @Prop({ type: String })
  deliveryUrl?: string;

  @Prop({ type: Number })
  deliveryAttemptCount!: number;

  @Prop({ type: Date })
  deliveredAt?: Date;

  @Prop({ type: Date })
  lastDeliveryAttemptAt?: Date;

  /** Present while an attempt is scheduled. */
  @Prop({ type: Date })
  nextDeliveryAttemptAt?: Date;

  @Prop({ type: Date })
  deliveryAttemptAbortedAt?: Date;

  @Prop({ type: String })
  errorType?: ErrorType;

  @Prop({ type: Number })
  httpStatusCode?: number;

  @Prop({ type: String })
  responseBody?: string;

  @Prop({ type: Date })
  createdAt!: Date;

  // The fields below are internal.

  /** Absent for operational events. */
  @Prop({ type: Types.ObjectId })
  message?: Types.ObjectId;

  /** Absent for events of a SIM whose phone was deleted. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /**
   * Tells events of one name apart: the reported status of `UNKNOWN_STATE`, the occurrence of an operational event; else
   * empty.
   */
  @Prop({ type: String })
  reportedStatus!: string;

  /** The request that raised the event, for logs. */
  @Prop({ type: String })
  requestId?: string;

  /** The exact request body, so that every attempt sends and signs the same bytes. */
  @Prop({ type: String })
  body!: string;

  @Prop({ type: [Object] })
  attempts!: AttemptRecord[];

  /** The next attempt is a redelivery that the owner requested, outside the schedule. */
  @Prop({ type: Boolean })
  isRedelivery?: boolean;

  /** While a redelivery is due: when the next attempt of the schedule is due; absent when there is none. */
  @Prop({ type: Date })
  scheduledAttemptAt?: Date;

  /** Attempts outside the schedule: redeliveries, and those before the last replay. */
  @Prop({ type: Number })
  redeliveryCount!: number;

  /** Identifies the last claim; until `claimedUntil` only its holder may attempt the delivery. */
  @Prop({ type: Types.ObjectId })
  claim?: Types.ObjectId;

  @Prop({ type: Date })
  claimedUntil?: Date;

  /** Changes to the counters of the subscription that may not be part of them yet. */
  @Prop({ type: [Object], default: undefined })
  changes?: CountChange[];

  /** The time of the last of `changes`. */
  @Prop({ type: Date })
  countedAt?: Date;
}

/** The deliveries of a subscription with a scheduled attempt, those due first. */
export const SCHEDULE_INDEX = { webhookSubscription: 1, nextDeliveryAttemptAt: 1 } as const;

export const DeliverySchema = SchemaFactory.createForClass(Delivery);
DeliverySchema.index(
  { user: 1, webhookSubscription: 1, message: 1, event: 1, reportedStatus: 1 },
  { unique: true },
); // makes relaying idempotent
DeliverySchema.index({ user: 1, createdAt: -1, _id: -1 }); // history
DeliverySchema.index({ user: 1, computedStatus: 1, createdAt: -1, _id: -1 }); // history by status
DeliverySchema.index({ user: 1, device: 1, createdAt: -1, _id: -1 }); // history by device
DeliverySchema.index({ user: 1, webhookSubscription: 1, createdAt: -1, _id: -1 }); // history and counts by subscription
DeliverySchema.index(SCHEDULE_INDEX, ifPresent('nextDeliveryAttemptAt')); // due deliveries of a subscription; scheduler: subscriptions with due deliveries
DeliverySchema.index({ webhookSubscription: 1, countedAt: 1 }, ifPresent('countedAt')); // counters of a subscription: changes since a time
