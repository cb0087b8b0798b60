import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { LoopReason, LoopResult } from './loop-test-rules';

/** The text of one direction. */
export interface LoopLeg {
  readonly from: Types.ObjectId;
  readonly to: Types.ObjectId;
  readonly fromDevice: Types.ObjectId;
  readonly toDevice: Types.ObjectId;
  /** Of the sending SIM. */
  readonly subscriptionId?: number;
  readonly number: string;
  /** In the text; nothing else contains it. */
  readonly nonce: string;
  /** Its send; absent until it is accepted. */
  readonly batch?: Types.ObjectId;
  readonly message?: Types.ObjectId;
  /** Why the send was refused. */
  readonly refusal?: string;
  /** Set when the run ends. */
  readonly result?: LoopResult;
  readonly reason?: LoopReason;
  /** From the hand-over to the phone until the text was stored. */
  readonly seconds?: number;
}

export interface LoopRun {
  readonly id: Types.ObjectId;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  readonly legs: readonly LoopLeg[];
}

/** The loop test of an account: two SIMs that send texts to each other, and the last run. */
@Schema({ collection: 'looptests', versionKey: false })
export class LoopTest {
  /** Account id. */
  @Prop({ type: Types.ObjectId })
  _id!: Types.ObjectId;

  /** Account id, for erasure. */
  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Two, or none. */
  @Prop({ type: [Types.ObjectId] })
  sims!: Types.ObjectId[];

  /** UTC hour of the nightly run. */
  @Prop({ type: Number })
  nightlyHour!: number;

  /** When the next nightly run is due; absent if there is none. */
  @Prop({ type: Date })
  nextRunAt?: Date;

  @Prop({ type: Object })
  run?: LoopRun;

  /** When to look at the run next; absent once it has ended. */
  @Prop({ type: Date })
  checkAt?: Date;
}

export const LoopTestSchema = SchemaFactory.createForClass(LoopTest);
LoopTestSchema.index({ user: 1 }); // erasure
LoopTestSchema.index({ checkAt: 1 }, ifPresent('checkAt')); // scheduler: runs in progress
LoopTestSchema.index({ nextRunAt: 1 }, ifPresent('nextRunAt')); // scheduler: nightly runs
