import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { KeywordMeaning } from '../words/languages/word-list';

/** A number gets at most one of each kind in 24 hours: the confirmation of a STOP, and the answer to START or HELP. */
export type AutoReplyKind = 'confirmation' | 'answer';

export const kindOf = (meaning: KeywordMeaning): AutoReplyKind =>
  meaning === 'out' ? 'confirmation' : 'answer';

/** The last automatic reply of a kind to a number: the outbox of the send, and then its result. */
@Schema({ collection: 'autoreplies', versionKey: false })
export class AutoReply {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Identifies the number, see `NumberKeys`. */
  @Prop({ type: String })
  numberKey!: string;

  @Prop({ type: String })
  number!: string;

  @Prop({ type: String })
  kind!: AutoReplyKind;

  /** Identifies this reply; the document stays, the next reply has another one. */
  @Prop({ type: Types.ObjectId })
  reply!: Types.ObjectId;

  @Prop({ type: String })
  text!: string;

  /** The phone that received the text which is answered. */
  @Prop({ type: Types.ObjectId })
  device!: Types.ObjectId;

  /** Android id of the SIM that received it. */
  @Prop({ type: Number })
  simSubscriptionId?: number;

  @Prop({ type: Date })
  requestedAt!: Date;

  /** When it is sent if the process that requested it has died; absent once its result is known. */
  @Prop({ type: Date })
  relayDueAt?: Date;

  /** The send that was accepted. */
  @Prop({ type: Types.ObjectId })
  batch?: Types.ObjectId;

  /** Why no send was accepted. */
  @Prop({ type: String })
  refusal?: string;
}

export const AutoReplySchema = SchemaFactory.createForClass(AutoReply);
AutoReplySchema.index({ user: 1, numberKey: 1, kind: 1 }, { unique: true }); // the last reply to a number
AutoReplySchema.index({ relayDueAt: 1 }, ifPresent('relayDueAt')); // scheduler: replies of dead processes
