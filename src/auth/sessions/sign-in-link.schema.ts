import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A sign-in link, valid once. Only the hash of its token is stored. */
@Schema({ collection: 'signinlinks', versionKey: false })
export class SignInLink {
  /** The hash of the token. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** The account's `tokenGeneration` when the link was created: what ends its sessions invalidates its links. */
  @Prop({ type: Number })
  generation!: number;

  @Prop({ type: Date })
  expiresAt!: Date;
}

export const SignInLinkSchema = SchemaFactory.createForClass(SignInLink);
SignInLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of unused links
