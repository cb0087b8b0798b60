import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const CODE_PURPOSES = ['verify-email', 'reset-password'] as const;
export type CodePurpose = (typeof CODE_PURPOSES)[number];

/** A code that was mailed: the latest one of an account and purpose. Only its hash is kept. */
@Schema({ collection: 'onetimecodes', versionKey: false })
export class OneTimeCode {
  /** Account and purpose: a new code takes the place of the one before. */
  @Prop({ type: String, required: true })
  _id!: string;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: String, required: true })
  hash!: string;

  /** The address it was mailed to, which it proves. */
  @Prop({ type: String, required: true })
  email!: string;

  /** How often it was tried. */
  @Prop({ type: Number, required: true })
  tries!: number;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const OneTimeCodeSchema = SchemaFactory.createForClass(OneTimeCode);
OneTimeCodeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of codes nobody used
