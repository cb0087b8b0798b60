import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { ConsentSource } from '../records/consent-record.schema';

/**
 * `out`: no messages; `held`: no marketing, because it is not certain what the person wants, and after a week the same as `out`. `lifted`
 * ones stay, so that a text that is older than the lifting and is uploaded after it changes nothing.
 */
export const SUPPRESSION_STATES = ['out', 'held', 'lifted'] as const;
export type SuppressionState = (typeof SUPPRESSION_STATES)[number];

/** All but declared transactional messages, or everything. */
export const SUPPRESSION_COVERS = ['undeclared', 'everything'] as const;
export type SuppressionCovers = (typeof SUPPRESSION_COVERS)[number];

/** A row of an imported file. */
export interface ImportedRow {
  readonly import: Types.ObjectId;
  readonly row: number;
}

/** A block of a number: which messages an account no longer sends to it. */
@Schema({ collection: 'suppressions', versionKey: false })
export class Suppression {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Identifies the number, see `NumberKeys`. */
  @Prop({ type: String })
  numberKey!: string;

  /** The number in comparable form, see `peerNumber` in `src/common`. */
  @Prop({ type: String })
  number!: string;

  /** `ALL_TOPICS`, or the one that it is limited to. */
  @Prop({ type: String })
  topic!: string;

  @Prop({ type: String })
  state!: SuppressionState;

  @Prop({ type: String })
  covers!: SuppressionCovers;

  /** When the last decision was made: the time at which a text was received, which later uploads of older texts do not undo. */
  @Prop({ type: Date })
  at!: Date;

  /** Since when it is held; absent in other states. */
  @Prop({ type: Date })
  heldAt?: Date;

  @Prop({ type: String })
  source!: ConsentSource;

  /** What the person wrote. */
  @Prop({ type: String })
  words?: string;

  /** The text, if it was stored. */
  @Prop({ type: Types.ObjectId })
  message?: Types.ObjectId;

  /** Why the owner decided so. */
  @Prop({ type: String })
  reason?: string;

  /** The row of a file that blocked it last; it tells where the block comes from only if that is its source. */
  @Prop({ type: Object })
  imported?: ImportedRow;
}

/** The blocks of a number; one for each topic. */
export const NUMBER_INDEX = { user: 1, numberKey: 1, topic: 1 } as const;

export const SuppressionSchema = SchemaFactory.createForClass(Suppression);
SuppressionSchema.index(NUMBER_INDEX, { unique: true });
SuppressionSchema.index({ user: 1, at: -1, _id: -1 }); // the list of an account
