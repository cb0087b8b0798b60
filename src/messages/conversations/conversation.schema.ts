import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import { OwnedDocument } from '../../infrastructure/mongo/owned-document';

/**
 * The messages of an account with one number. All but `note` and `readThrough…` is a projection of its messages, written by
 * `ConversationProjector`; a conversation without messages is removed.
 */
@Schema({ collection: 'conversations', versionKey: false })
export class Conversation extends OwnedDocument {
  /** See `peerNumber` in `src/common`. */
  @Prop({ type: String })
  number!: string;

  /** Its newest message, in the order of the message list. */
  @Prop({ type: Types.ObjectId })
  lastMessage!: Types.ObjectId;

  @Prop({ type: Date })
  lastMessageAt!: Date;

  /** The device of its newest message. */
  @Prop({ type: Types.ObjectId })
  device!: Types.ObjectId;

  /** The message received last, and when the database stored it; absent if none was received. */
  @Prop({ type: Types.ObjectId })
  lastReceived?: Types.ObjectId;

  @Prop({ type: Date })
  lastReceivedAt?: Date;

  /** The received message up to which it was read, in the order of storing; absent if it was never read. */
  @Prop({ type: Types.ObjectId })
  readThrough?: Types.ObjectId;

  @Prop({ type: Date })
  readThroughAt?: Date;

  /** Set while the message received last is not read. */
  @Prop({ type: Boolean })
  unread?: true;

  /** Set while its newest message is a received one. */
  @Prop({ type: Boolean })
  unanswered?: true;

  @Prop({ type: String })
  note?: string;

  /** Counts changes of the projection: a refresh is written only if there was none since it read. */
  @Prop({ type: Number })
  version!: number;

  /** When it is due to be projected again from its messages: some are being deleted, or it was created and they may be gone. */
  @Prop({ type: Date })
  refreshDueAt?: Date;
}

export const ConversationSchema = SchemaFactory.createForClass(Conversation);
ConversationSchema.index({ user: 1, number: 1 }, { unique: true }); // one conversation per number
ConversationSchema.index({ user: 1, lastMessageAt: -1, _id: -1 }); // the list; retention: old conversations
ConversationSchema.index({ user: 1, device: 1, lastMessageAt: -1, _id: -1 }); // the list of a device; those of deleted devices
ConversationSchema.index({ user: 1, unread: 1, lastMessageAt: -1, _id: -1 }, ifPresent('unread')); // the list of unread conversations
ConversationSchema.index({ user: 1, unanswered: 1, lastMessageAt: -1, _id: -1 }, ifPresent('unanswered')); // the list of unanswered conversations
ConversationSchema.index({ refreshDueAt: 1 }, ifPresent('refreshDueAt')); // scheduler: due to be refreshed
