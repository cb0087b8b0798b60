import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const CODE_PURPOSES = ['verify-email', 'reset-password'] as const;
export type CodePurpose = (typeof CODE_PURPOSES)[number];

/** The current and the previous code of an account and purpose. Only their hashes are stored. */
@Schema({ collection: 'onetimecodes', versionKey: false })
export class OneTimeCode {
  /** `<account id>:<purpose>`. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** The current code is derived from it and TOKEN_SECRET. */
  @Prop({ type: String })
  seed!: string;

  @Prop({ type: String })
  hash!: string;

  /** The address the code was mailed to and verifies. */
  @Prop({ type: String })
  email!: string;

  /** A code that stays valid after a newer one was mailed. */
  @Prop({ type: Object })
  previous?: Pick<OneTimeCode, 'hash' | 'email' | 'expiresAt'>;

  /** How often the current and the previous code were tried. */
  @Prop({ type: Number })
  tries!: number;

  @Prop({ type: Date })
  expiresAt!: Date;
}

export const OneTimeCodeSchema = SchemaFactory.createForClass(OneTimeCode);
OneTimeCodeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of unused codes
