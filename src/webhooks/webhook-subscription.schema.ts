import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../infrastructure/mongo/if-present';
import { OwnedDocument } from '../infrastructure/mongo/owned-document';
import type { WebhookEvent } from './webhook-event';

export interface SubscriptionNote {
  readonly at: Date;
  readonly text: string;
}

/** A replaced secret, which signs `webhook-signature`, too, until `until`. */
export interface PreviousSecret {
  /** Encrypted. */
  readonly secret: string;
  readonly until: Date;
}

/** A header that is sent with each request. */
export interface CustomHeader {
  readonly name: string;
  /** Encrypted. */
  readonly value: string;
}

/** The lease of the delivery runner that attempts the deliveries of a subscription. */
export interface RunnerLease {
  readonly id: Types.ObjectId;
  readonly until: Date;
}

@Schema({ collection: 'webhooksubscriptions', versionKey: false })
export class WebhookSubscription extends OwnedDocument {
  @Prop({ type: String })
  name?: string;

  @Prop({ type: Boolean })
  isActive!: boolean;

  @Prop({ type: [String] })
  events!: WebhookEvent[];

  @Prop({ type: String })
  deliveryUrl!: string;

  /** Encrypted; removed when the subscription is deleted. */
  @Prop({ type: String })
  signingSecret?: string;

  /** The time limit of an attempt; see `timeoutOf`. */
  @Prop({ type: Number })
  timeoutSeconds?: number;

  /** Removed when the subscription is deleted. */
  @Prop({ type: [Object], default: undefined })
  headers?: CustomHeader[];

  /** With `poolIds`: the only devices and pools whose events it gets; absent: all. Some may have been deleted. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  deviceIds?: Types.ObjectId[];

  @Prop({ type: [Types.ObjectId], default: undefined })
  poolIds?: Types.ObjectId[];

  @Prop({ type: Number })
  successfulDeliveryCount!: number;

  @Prop({ type: Number })
  deliveryFailureCount!: number;

  @Prop({ type: Number })
  deliveryAttemptCount!: number;

  @Prop({ type: Date })
  lastDeliveryAttemptAt?: Date;

  @Prop({ type: Date })
  lastDeliverySuccessAt?: Date;

  @Prop({ type: Date })
  lastDeliveryFailureAt?: Date;

  @Prop({ type: [Object] })
  notes!: SubscriptionNote[];

  // The fields below are internal.

  /** Enforces the limit per account: a unique number from 0; unset when the subscription is deleted. */
  @Prop({ type: Number })
  slot?: number;

  @Prop({ type: [Object] })
  previousSecrets!: PreviousSecret[];

  /** Since when it is paused. */
  @Prop({ type: Date })
  pausedAt?: Date;

  /** When the service paused it, until that is recorded for its owner to be told. */
  @Prop({ type: Date })
  pauseNoticeDueAt?: Date;

  /** The first failed attempt since the last success, and the number of failures since. */
  @Prop({ type: Date })
  failingSince?: Date;

  @Prop({ type: Number })
  failingAttempts!: number;

  /** The counters include the changes of deliveries before this time of the database. */
  @Prop({ type: Date })
  countedThrough?: Date;

  /** Time of the database at the last renewal of the lease. */
  @Prop({ type: Date })
  renewedAt?: Date;

  @Prop({ type: Object })
  runner?: RunnerLease;

  /** A notification: deliveries became due while the lease was held. The runner checks again before it releases the lease. */
  @Prop({ type: Boolean })
  isWoken?: boolean;
}

export const MAX_TIMEOUT_SECONDS = 30;
const DEFAULT_TIMEOUT_SECONDS = 15;

/** In seconds. */
export const timeoutOf = ({ timeoutSeconds }: Pick<WebhookSubscription, 'timeoutSeconds'>): number =>
  timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;

export const WebhookSubscriptionSchema = SchemaFactory.createForClass(WebhookSubscription);
WebhookSubscriptionSchema.index({ user: 1, slot: 1 }, { unique: true, ...ifPresent('slot') }); // limit of subscriptions per account; lists by account
WebhookSubscriptionSchema.index({ isActive: 1, failingSince: 1 }, ifPresent('failingSince')); // scheduler: subscriptions that keep failing
WebhookSubscriptionSchema.index({ pauseNoticeDueAt: 1 }, ifPresent('pauseNoticeDueAt')); // scheduler: pauses to tell their owners
WebhookSubscriptionSchema.index({ user: 1 }); // retention: subscriptions of an account, deleted ones included
