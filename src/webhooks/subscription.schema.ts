import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-event';

/** Added by the service, such as why it paused the subscription. */
export interface SubscriptionNote {
  readonly at: Date;
  readonly text: string;
}

/** A secret that was replaced; it signs beside its successor until then. */
export interface PreviousSecret {
  /** Encrypted. */
  readonly secret: string;
  readonly until: Date;
}

/** The process that delivers a subscription's events at the moment. */
export interface RunnerLease {
  readonly id: Types.ObjectId;
  readonly until: Date;
}

/** What of a subscription's counts was counted in deliveries that are removed. */
export interface RemovedDeliveries {
  readonly attempts: number;
  readonly delivered: number;
  readonly failed: number;
  /** The last chunk these figures hold. */
  readonly chunk: Types.ObjectId;
}

/** Where the events of an account go. The fields are the specification's; the service's own follow. */
@Schema({ collection: 'webhooksubscriptions', versionKey: false })
export class Subscription {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: String })
  name?: string;

  @Prop({ type: Boolean, required: true })
  isActive!: boolean;

  @Prop({ type: [String], required: true, enum: WEBHOOK_EVENTS })
  events!: WebhookEvent[];

  @Prop({ type: String, required: true })
  deliveryUrl!: string;

  /** Encrypted, see SecretBox. Gone once the subscription is deleted: nothing signs with it any more. */
  @Prop({ type: String })
  signingSecret?: string;

  @Prop({ type: Number, required: true })
  successfulDeliveryCount!: number;

  /** Deliveries that ended failed. */
  @Prop({ type: Number, required: true })
  deliveryFailureCount!: number;

  @Prop({ type: Number, required: true })
  deliveryAttemptCount!: number;

  @Prop({ type: Date })
  lastDeliveryAttemptAt?: Date;

  @Prop({ type: Date })
  lastDeliverySuccessAt?: Date;

  @Prop({ type: Date })
  lastDeliveryFailureAt?: Date;

  @Prop({ type: [Object] })
  notes!: SubscriptionNote[];

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;

  // From here on the service's own.

  /** One of the account's places for subscriptions, counted from 0; a deleted one has none. */
  @Prop({ type: Number })
  slot?: number;

  @Prop({ type: [Object] })
  previousSecrets!: PreviousSecret[];

  /** The first failed attempt since the last that succeeded, and how many there were. */
  @Prop({ type: Date })
  failingSince?: Date;

  @Prop({ type: Number, required: true })
  failingAttempts!: number;

  @Prop({ type: Object })
  removed?: RemovedDeliveries;

  @Prop({ type: Object })
  runner?: RunnerLease;

  /** Deliveries came up while a runner was at work: it looks once more before it ends. */
  @Prop({ type: Boolean })
  isWoken?: boolean;
}

export const SubscriptionSchema = SchemaFactory.createForClass(Subscription);
SubscriptionSchema.index(
  { user: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
); // never more than the places there are, also when two are made at once; an account's list; the relay's look-up
SubscriptionSchema.index(
  { isActive: 1, failingSince: 1 },
  { partialFilterExpression: { failingSince: { $exists: true } } },
); // scheduler: who has been failing for long; those that are paused stand apart
