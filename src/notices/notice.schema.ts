import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../infrastructure/mongo/if-present';
import type { NoticeTopic } from './notice-topic';

/** What is known of a phone, SIM, webhook or limit of a plan that was in trouble, and what its owner was told of it. */
@Schema({ collection: 'notices', versionKey: false })
export class Notice {
  /** What it is about, such as `device:665f1c2ab7e1d4a9c0f3e812`. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  topic!: NoticeTopic;

  /** The state now: of a phone `offline` or `online`, else what tells this occurrence from others. */
  @Prop({ type: String })
  state!: string;

  /** When the state was noticed. */
  @Prop({ type: Date })
  at!: Date;

  @Prop({ type: Date })
  since?: Date;

  /** The phone that it is about. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /** The name for people. */
  @Prop({ type: String })
  name!: string;

  /** What a mail adds to the name. */
  @Prop({ type: String })
  detail?: string;

  /** The last state that the owner was told, or would have been if the topic were on. */
  @Prop({ type: String })
  told?: string;

  /** When to look whether the owner is to be told; absent if `told` is the state. */
  @Prop({ type: Date })
  dueAt?: Date;

  @Prop({ type: Date })
  expiresAt!: Date;
}

export const NoticeSchema = SchemaFactory.createForClass(Notice);
NoticeSchema.index({ dueAt: 1 }, ifPresent('dueAt')); // scheduler: accounts with something to tell
NoticeSchema.index({ user: 1, dueAt: 1 }); // what to tell an account; erasure
NoticeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of old notices
