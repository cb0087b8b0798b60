import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A link that signs its reader in, once. Only the hash of its token is stored. */
@Schema({ collection: 'signinlinks', versionKey: false })
export class SignInLink {
  /** The hash of the token. */
  @Prop({ type: String, required: true })
  _id!: string;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  /** The account's `tokenGeneration` when the link was made: what ends sessions ends links. */
  @Prop({ type: Number, required: true })
  generation!: number;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const SignInLinkSchema = SchemaFactory.createForClass(SignInLink);
SignInLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of links nobody used
