import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';

/** What was decided: no messages, no marketing until that is certain, or that a block is lifted. */
export const CONSENT_DECISIONS = ['out', 'held', 'in'] as const;
export type ConsentDecision = (typeof CONSENT_DECISIONS)[number];

/** Where a decision comes from: a text of the person, the owner on a page, or a program of the owner. */
export const CONSENT_SOURCES = ['keyword', 'web', 'api'] as const;
export type ConsentSource = (typeof CONSENT_SOURCES)[number];

/** The topic of decisions that are not limited to one. */
export const ALL_TOPICS = '';

/** A decision about a number. Records are only added; the account is erased with them. */
@Schema({ collection: 'consents', versionKey: false })
export class ConsentRecord {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Identifies the number, see `NumberKeys`. */
  @Prop({ type: String })
  numberKey!: string;

  @Prop({ type: String })
  number!: string;

  /** `ALL_TOPICS`, or the one that it is limited to. */
  @Prop({ type: String })
  topic!: string;

  @Prop({ type: String })
  state!: ConsentDecision;

  /** When it was decided; of a text, when it was received. */
  @Prop({ type: Date })
  at!: Date;

  @Prop({ type: String })
  source!: ConsentSource;

  /** Who decided on a page: the name of the user who was signed in, else their e-mail address. */
  @Prop({ type: String })
  person?: string;

  /** What the person wrote. */
  @Prop({ type: String })
  words?: string;

  /** The text; absent if it was not stored, because the phone does not receive. */
  @Prop({ type: Types.ObjectId })
  message?: Types.ObjectId;

  /** The phone that received the text. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /** Android id of the SIM that received it. */
  @Prop({ type: Number })
  simSubscriptionId?: number;

  /** Why the owner decided so. */
  @Prop({ type: String })
  reason?: string;

  /** Recognises repeated uploads of the text. */
  @Prop({ type: String })
  uploadKey?: string;
}

export const ConsentRecordSchema = SchemaFactory.createForClass(ConsentRecord);
ConsentRecordSchema.index({ user: 1, uploadKey: 1 }, { unique: true, ...ifPresent('uploadKey') }); // one for each text
ConsentRecordSchema.index({ user: 1, at: -1, _id: -1 }); // the list of an account
ConsentRecordSchema.index({ user: 1, numberKey: 1, at: -1, _id: -1 }); // the list of a number; why a message was suppressed
