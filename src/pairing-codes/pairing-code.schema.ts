import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** How long a code is kept after it has expired, so that the page still finds the phone. */
const KEPT_S = 60 * 60;

/** A code by which one phone joins an account. Only its hash is stored. */
@Schema({ collection: 'pairingcodes', versionKey: false })
export class PairingCode {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  hash!: string;

  /** The account's `tokenGeneration` when the code was created: what ends its sessions invalidates its codes. */
  @Prop({ type: Number })
  generation!: number;

  /** The device that the new phone replaces. */
  @Prop({ type: Types.ObjectId })
  replaces?: Types.ObjectId;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  expiresAt!: Date;

  @Prop({ type: Date })
  redeemedAt?: Date;

  /** Of the request that redeemed it: the same request gets the same device again. */
  @Prop({ type: String })
  fingerprint?: string;

  /** The id that the redemption chose for the new device; the device is stored afterwards. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;
}

export const PairingCodeSchema = SchemaFactory.createForClass(PairingCode);
PairingCodeSchema.index({ hash: 1 }, { unique: true }); // redemption
PairingCodeSchema.index({ user: 1, createdAt: -1 }); // the newest codes of an account
PairingCodeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_S }); // removal of old codes
