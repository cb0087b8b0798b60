import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** The token of a paired app, valid on the routes of its protocol, for its device alone. Only its hash is stored. */
@Schema({ collection: 'devicetokens', versionKey: false })
export class DeviceToken {
  /** The device. */
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  hash!: string;

  @Prop({ type: Date })
  createdAt!: Date;
}

export const DeviceTokenSchema = SchemaFactory.createForClass(DeviceToken);
DeviceTokenSchema.index({ hash: 1 }, { unique: true }); // authentication of every request of an app
DeviceTokenSchema.index({ user: 1 }); // erasure
