import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Priority } from './message.schema';
import { ifPresent } from '../infrastructure/mongo/if-present';
import { OwnedDocument } from '../infrastructure/mongo/owned-document';

/** `accepting` while its messages are being stored; only `accepted` batches are sent; `abandoned` ones never are. */
export const ACCEPTANCES = ['accepting', 'accepted', 'abandoned'] as const;
export type Acceptance = (typeof ACCEPTANCES)[number];

/** Whether a send advertises, or answers what its recipients have asked for. */
export const PURPOSES = ['marketing', 'transactional'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What a batch is for: what its sender declares, or an automatic reply to STOP, START or HELP, which no block stops and nobody can declare. */
export const BATCH_PURPOSES = [...PURPOSES, 'consent'] as const;
export type BatchPurpose = (typeof BATCH_PURPOSES)[number];

/** A daily window on the recipient's clock, "HH:MM"; over midnight if `to` is before `from`, empty if they are equal. */
export interface QuietHours {
  readonly from: string;
  /** The first minute in which messages may leave again. */
  readonly to: string;
}

/** Messages of a batch that are due at the same time on the same lane. A group of several waves reserves a slot on the timeline of its lane, unless it is urgent. */
export interface DispatchGroup {
  /** Requested send time; absent if sent immediately. */
  scheduledAt?: Date;
  /** How many messages it has. */
  count: number;
  /** Number of its first wave within the batch. */
  firstWave: number;
  /** How many waves it has. */
  waves: number;
  /** When a worker began to plan it. If its start is not stored within `PLANNING_TIMEOUT_MS`, another one plans it. */
  planningSince?: Date;
  /** When its first wave starts, and its slot if it has one; absent until it is planned, and if the group has one wave. */
  startAt?: Date;
  /** From the start of a wave to the start of the next one. If the messages have their own offsets, those count. */
  gapMs?: number;
  durationMs?: number;
  /** The phone whose pace it follows; absent: that of the batch. */
  device?: Types.ObjectId;
  /** The SIM whose own pace it follows; absent: it follows that of the phone. */
  sim?: Types.ObjectId;
  /** Whether the times of its waves are stored on its messages; a scheduled group of several waves is planned when it is due. */
  planned: boolean;
}

/** A change of a batch that takes several writes. A batch has one at a time; `BatchRecoveryScheduler` completes it. */
export interface BatchChange {
  readonly id: Types.ObjectId;
  /** `restore` gives the messages their times back after a rescheduling that was rejected. */
  readonly kind: 'pause' | 'resume' | 'reschedule' | 'restore';
  /** Since when the process that makes it has it. */
  readonly since: Date;
  /** The new time, of a rescheduling. */
  readonly scheduledAt?: Date;
}

/** One send request. Its progress is derived from its messages. */
@Schema({ collection: 'batches', versionKey: false })
export class Batch extends OwnedDocument {
  @Prop({ type: Types.ObjectId })
  device!: Types.ObjectId;

  /** All phones that carry a message of it, or did before it moved; absent while `device` is the only one. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  devices?: Types.ObjectId[];

  @Prop({ type: Types.ObjectId })
  pool?: Types.ObjectId;

  @Prop({ type: String })
  acceptance!: Acceptance;

  /** Absent: normal. */
  @Prop({ type: String })
  priority?: Priority;

  /** Its messages are not handed to a phone at or after this time. */
  @Prop({ type: Date })
  validUntil?: Date;

  /** Hours of the recipients in which its messages wait. */
  @Prop({ type: Object })
  quietHours?: QuietHours;

  /** Absent: not declared. */
  @Prop({ type: String })
  purpose?: BatchPurpose;

  /** What it is about, as declared by its sender. */
  @Prop({ type: String })
  topic?: string;

  /** Whether the blocks of its recipients are read before its messages leave: its account has consent switched on. */
  @Prop({ type: Boolean })
  checksConsent?: true;

  /** When its owner paused it; absent unless it is paused. */
  @Prop({ type: Date })
  pausedAt?: Date;

  @Prop({ type: Object })
  change?: BatchChange;

  /** The text, if it is the same for all recipients. */
  @Prop({ type: String })
  message?: string;

  @Prop({ type: Boolean })
  encrypted?: boolean;

  /** The encrypted text, if it is the same for all recipients. */
  @Prop({ type: String })
  encryptedMessage?: string;

  @Prop({ type: Number })
  recipientCount!: number;

  /** SMS parts of all messages; only of a send to a list, which a repeated request does not read again. */
  @Prop({ type: Number })
  parts?: number;

  @Prop({ type: String })
  recipientPreview?: string;

  /** Label set by the client. */
  @Prop({ type: String })
  messageTemplate?: string;

  @Prop({ type: [Object] })
  groups!: DispatchGroup[];

  @Prop({ type: Date })
  estimatedCompletionAt?: Date;

  /** Idempotency key from the client; `requestHash` identifies the request it was first used for. */
  @Prop({ type: String })
  idempotencyKey?: string;

  @Prop({ type: String })
  requestHash?: string;

  /** When the send started; set while it is being accepted, or is abandoned and not yet deleted. */
  @Prop({ type: Date })
  unsettledSince?: Date;

  /** Start of the latest cancellation in progress; absent if there is none. */
  @Prop({ type: Date })
  cancellingSince?: Date;

  /** Cancellations whose messages are not yet refunded to the plan. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  cancellations?: Types.ObjectId[];

  /** Messages charged per UTC day, less those cancelled; absent if all are charged to the day of `createdAt`. */
  @Prop({ type: Object })
  chargedDays?: Record<string, number>;

  /** Number of messages cancelled and refunded to the plan. */
  @Prop({ type: Number })
  cancelledCount?: number;

  /** Number of messages to blocked recipients that failed and were refunded to the plan. */
  @Prop({ type: Number })
  suppressedCount?: number;

  /**
   * When its messages are due to be added to their conversations; set when it is accepted unless it is bulk, removed when they are.
   */
  @Prop({ type: Date })
  conversationsDueAt?: Date;

  /** Set when all its messages were deleted, or before retention removes them. */
  @Prop({ type: Date })
  hiddenAt?: Date;
}

export const BatchSchema = SchemaFactory.createForClass(Batch);
BatchSchema.index({ user: 1, idempotencyKey: 1 }, { unique: true, ...ifPresent('idempotencyKey') }); // one batch per idempotency key
BatchSchema.index({ user: 1, createdAt: 1, _id: 1 }); // retention: old batches, in pages
BatchSchema.index(
  { user: 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { recipientCount: { $gt: 1 } } },
); // lists of batches with several recipients
BatchSchema.index({ unsettledSince: 1 }, ifPresent('unsettledSince')); // scheduler: interrupted sends
BatchSchema.index({ cancellingSince: 1 }, ifPresent('cancellingSince')); // scheduler: interrupted cancellations
BatchSchema.index({ conversationsDueAt: 1 }, ifPresent('conversationsDueAt')); // scheduler: messages not yet added to their conversations
BatchSchema.index({ 'change.since': 1 }, ifPresent('change.since')); // scheduler: interrupted changes
BatchSchema.index({ user: 1, hiddenAt: 1, _id: 1 }, ifPresent('hiddenAt')); // retention: deleted batches, in pages

/** Condition of the batches that their owner sees. */
export const VISIBLE_BATCH = { acceptance: 'accepted', hiddenAt: { $exists: false } } as const;

/** Condition of the batches of which a device carries a message. */
export const carriedBy = (device: Types.ObjectId) => ({ $or: [{ device }, { devices: device }] });

/** Messages to more recipients at once are bulk. */
export const MAX_CONVERSATION_RECIPIENTS = 20;

/** Whether its messages neither begin a conversation nor move it to the top of the list. */
export const isBulk = ({ recipientCount }: Pick<Batch, 'recipientCount'>): boolean =>
  recipientCount > MAX_CONVERSATION_RECIPIENTS;

/** Whether its messages must not be handed to a phone now: it is paused, or is being rescheduled. */
export const isPausedOrRescheduled = ({ pausedAt, change }: Batch): boolean =>
  pausedAt !== undefined || change?.kind === 'reschedule';
