import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** `accepting` until its messages are stored; only `accepted` ones are sent; `abandoned` ones never were. */
export const ACCEPTANCES = ['accepting', 'accepted', 'abandoned'] as const;
export type Acceptance = (typeof ACCEPTANCES)[number];

/** Messages of a batch that are due together. What is large is paced: it has a place on the phone's timeline. */
export interface DispatchGroup {
  /** When it was asked for; absent for now. */
  scheduledAt?: Date;
  count: number;
  /** The numbers of its waves within the batch. */
  firstWave: number;
  waves: number;
  /** Its place on the phone's timeline; absent while it has none, or needs none. */
  startAt?: Date;
  gapMs?: number;
  durationMs?: number;
  /** Whether its messages carry the times of its waves. */
  planned: boolean;
}

/** What the messages of a batch that are removed already had come to. */
export interface RemovedProgress {
  count: number;
  successCount: number;
  failureCount: number;
  /** Absent in what processes of earlier versions have written. */
  cancelledCount?: number;
  settledAt?: Date;
  /** The first failure among them. */
  failure?: { at: Date; text?: string };
  /** When one of them was last updated. */
  updatedAt: Date;
  /** The last chunk these figures hold. */
  chunk: Types.ObjectId;
}

/** One accepted send request. Its progress is not stored: it is what its messages say, and those
 * before them that are removed. */
@Schema({ collection: 'batches', versionKey: false })
export class Batch {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  device!: Types.ObjectId;

  @Prop({ type: String, required: true, enum: ACCEPTANCES })
  acceptance!: Acceptance;

  /** The text, when all recipients get the same. */
  @Prop({ type: String })
  message?: string;

  @Prop({ type: Boolean })
  encrypted?: boolean;

  @Prop({ type: Number, required: true })
  recipientCount!: number;

  @Prop({ type: String })
  recipientPreview?: string;

  /** Optional label of the owner. */
  @Prop({ type: String })
  messageTemplate?: string;

  @Prop({ type: [Object], required: true })
  groups!: DispatchGroup[];

  @Prop({ type: Date })
  estimatedCompletionAt?: Date;

  /** The client's key for repeating the request safely, and what the request was. */
  @Prop({ type: String })
  idempotencyKey?: string;

  @Prop({ type: String })
  requestHash?: string;

  /** Set until the batch is accepted, or what it left behind is cleaned up. */
  @Prop({ type: Date })
  unsettledSince?: Date;

  /** Set while cancellations are under way, to when the latest of them began. */
  @Prop({ type: Date })
  cancellingSince?: Date;

  /** The cancellations under way: what each cancelled is still to be given back to the plan. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  cancellations?: Types.ObjectId[];

  /** What it is charged to which UTC day, less what was cancelled; absent where all is charged to that of `createdAt`. */
  @Prop({ type: Object })
  chargedDays?: Record<string, number>;

  /** How many of its messages were cancelled, and given back to the plan. */
  @Prop({ type: Number })
  cancelledCount?: number;

  @Prop({ type: Object })
  removed?: RemovedProgress;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;
}

export const BatchSchema = SchemaFactory.createForClass(Batch);
BatchSchema.index(
  { user: 1, idempotencyKey: 1 },
  { unique: true, partialFilterExpression: { idempotencyKey: { $exists: true } } },
); // one batch a key
BatchSchema.index({ user: 1, createdAt: 1 }); // recount: what an account has sent in a period
BatchSchema.index({ unsettledSince: 1 }, { partialFilterExpression: { unsettledSince: { $exists: true } } }); // sweeper: sends that died
BatchSchema.index(
  { cancellingSince: 1 },
  { partialFilterExpression: { cancellingSince: { $exists: true } } },
); // sweeper: cancels that died
