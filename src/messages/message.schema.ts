import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { OutboxEntry, UnconfirmedReason } from './message-event';
import { MESSAGE_STATUSES, type MessageStatus } from './message-status';

export const DIRECTIONS = ['sent', 'received'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The kind of removal that messages go with. */
export const MESSAGE_REMOVAL = 'messages';

/** One SMS to one recipient, or one received. The fields are the specification's; the service's own follow. */
@Schema({ collection: 'messages', versionKey: false })
export class Message {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  device!: Types.ObjectId;

  @Prop({ type: String, required: true, enum: DIRECTIONS })
  direction!: Direction;

  /** Absent on messages stored before status tracking. */
  @Prop({ type: String, enum: MESSAGE_STATUSES })
  status?: MessageStatus;

  @Prop({ type: String, required: true })
  message!: string;

  @Prop({ type: Boolean })
  encrypted?: boolean;

  /** The text where it is encrypted; `message` is empty then. Never searched. */
  @Prop({ type: String })
  encryptedMessage?: string;

  @Prop({ type: String })
  sender?: string;

  @Prop({ type: String })
  recipient?: string;

  @Prop({ type: Types.ObjectId })
  smsBatch?: Types.ObjectId;

  @Prop({ type: Number })
  simSubscriptionId?: number;

  @Prop({ type: Date })
  receivedAt?: Date;

  @Prop({ type: Date })
  requestedAt?: Date;

  @Prop({ type: Date })
  dispatchDueAt?: Date;

  @Prop({ type: Date })
  dispatchedAt?: Date;

  @Prop({ type: Number })
  dispatchAttempts?: number;

  @Prop({ type: Date })
  pushReceivedAt?: Date;

  @Prop({ type: Date })
  sendAttemptedAt?: Date;

  @Prop({ type: Date })
  sentAt?: Date;

  @Prop({ type: Date })
  deliveredAt?: Date;

  @Prop({ type: Date })
  failedAt?: Date;

  @Prop({ type: String })
  errorCode?: string;

  @Prop({ type: String })
  errorMessage?: string;

  @Prop({ type: Boolean })
  overLimit?: boolean;

  /** On received messages: sender or text was longer than what is stored. */
  @Prop({ type: Boolean })
  truncated?: boolean;

  @Prop({ type: Date })
  originalCreatedAt?: Date;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;

  // From here on the service's own.

  /** The wave of its batch that the message is released with. */
  @Prop({ type: Number })
  wave?: number;

  /** When the next attempt to hand it to the push service is due. */
  @Prop({ type: Date })
  nextDispatchAt?: Date;

  /** Since when the push service has not taken it; the time it is tried for counts from here. */
  @Prop({ type: Date })
  unavailableSince?: Date;

  /** Set right before a push, by the worker that won the message: until the result is known it is nobody else's. */
  @Prop({ type: Date })
  pushStartedAt?: Date;

  @Prop({ type: Types.ObjectId })
  pushClaim?: Types.ObjectId;

  /** Until when the message is offered again to a phone that has not acknowledged it. */
  @Prop({ type: Date })
  offerUntil?: Date;

  /** Set when the phone was asked not to send the message, until it answers. It is handed the request from then on. */
  @Prop({ type: Date })
  cancelRequestedAt?: Date;

  /** The cancellation that cancelled it: the allowance is given back once for each. */
  @Prop({ type: Types.ObjectId })
  cancellation?: Types.ObjectId;

  /** Why it became `unknown` without a report. */
  @Prop({ type: String })
  unconfirmedReason?: UnconfirmedReason;

  /** When the message first left `pending` and `dispatched`. */
  @Prop({ type: Date })
  settledAt?: Date;

  /** Since when it counts in its device's total: received, or `sent` or `delivered` for the first time. */
  @Prop({ type: Date })
  countedAt?: Date;

  /** The write that moved it last on a report. */
  @Prop()
  movedBy?: Types.ObjectId;

  /** The write that made it count: of two at once only one adds to a total. */
  @Prop()
  countedBy?: Types.ObjectId;

  /** Set when the message is being removed, to the chunk it goes with: to reports it is gone already. */
  @Prop({ type: Types.ObjectId })
  removal?: Types.ObjectId;

  /** The events this message has raised, see `raisedKey`. */
  @Prop({ type: [String] })
  raised!: string[];

  /** Events not yet relayed to the webhooks. */
  @Prop({ type: [Object] })
  outbox!: OutboxEntry[];

  /**
   * When what is in the outbox is to be relayed. No array may have a name that this one begins with: DocumentDB takes an
   * index on `outboxSince` for one on the array `outbox`, and sorts all that waits instead of reading the first.
   */
  @Prop({ type: Date })
  relayDueAt?: Date;

  /** Attempts to relay what is in the outbox, counted as each begins; absent once one succeeds. */
  @Prop({ type: Number })
  relayAttempts?: number;

  /** When it is to be relayed by itself, apart from all others. */
  @Prop({ type: Date })
  relayAloneAt?: Date;

  /** Since when it is set aside because relaying it failed each time; it is tried again each hour. */
  @Prop({ type: Date })
  relaySetAsideAt?: Date;

  /** Identifies an upload of a received message. */
  @Prop({ type: String })
  fingerprint?: string;
}

/** A batch's messages in order; the messages of a wave; the message list of a batch. */
export const BATCH_INDEX = { smsBatch: 1, wave: 1, _id: 1 } as const;

/** The message list of one recipient, and of one sender. */
export const RECIPIENT_INDEX = { user: 1, recipient: 1, createdAt: -1, _id: -1 } as const;
export const SENDER_INDEX = { user: 1, sender: 1, createdAt: -1, _id: -1 } as const;

export const MessageSchema = SchemaFactory.createForClass(Message);
MessageSchema.index({ user: 1, createdAt: -1, _id: -1 }); // the message list
MessageSchema.index({ user: 1, device: 1, createdAt: -1, _id: -1 }); // the message list of one device, however quiet it is, and its count
MessageSchema.index(BATCH_INDEX);
MessageSchema.index(RECIPIENT_INDEX, { partialFilterExpression: { recipient: { $exists: true } } });
MessageSchema.index(SENDER_INDEX, { partialFilterExpression: { sender: { $exists: true } } });
MessageSchema.index(
  { user: 1, device: 1, fingerprint: 1 },
  { unique: true, partialFilterExpression: { fingerprint: { $exists: true } } },
); // the same upload twice is one message
MessageSchema.index({ nextDispatchAt: 1 }, { partialFilterExpression: { status: 'pending' } }); // sweeper: due, not yet handed over
MessageSchema.index({ dispatchedAt: 1 }, { partialFilterExpression: { status: 'dispatched' } }); // sweeper: no word for a day
MessageSchema.index(
  { device: 1, offerUntil: 1 },
  { partialFilterExpression: { offerUntil: { $exists: true } } },
); // what a phone is offered again
MessageSchema.index(
  { user: 1, device: 1, direction: 1, countedAt: 1 },
  { partialFilterExpression: { countedAt: { $exists: true } } },
); // recount: what a device has sent and received; what an account has received in a period
MessageSchema.index({ relayDueAt: 1 }, { partialFilterExpression: { relayDueAt: { $exists: true } } }); // relay: events not yet relayed
MessageSchema.index({ relayAloneAt: 1 }, { partialFilterExpression: { relayAloneAt: { $exists: true } } }); // relay: messages that are relayed alone
MessageSchema.index(
  { relaySetAsideAt: 1 },
  { partialFilterExpression: { relaySetAsideAt: { $exists: true } } },
); // metrics and retry: messages that are set aside
