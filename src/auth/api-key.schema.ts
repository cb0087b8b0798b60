import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** An API key. Only its hash is kept. */
@Schema({ collection: 'apikeys', versionKey: false })
export class ApiKey {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: String, required: true })
  hash!: string;

  /** The beginning of the key, by which its owner knows it again; absent on keys made before it was kept. */
  @Prop({ type: String })
  start?: string;

  @Prop({ type: String, required: true })
  name!: string;

  @Prop({ type: Date })
  lastUsedAt?: Date;

  @Prop({ type: Date })
  revokedAt?: Date;

  @Prop({ type: Date, required: true })
  createdAt!: Date;
}

export const ApiKeySchema = SchemaFactory.createForClass(ApiKey);
ApiKeySchema.index({ hash: 1 }, { unique: true }); // every request: which account does this key open
ApiKeySchema.index({ user: 1, revokedAt: 1 }); // stats, lists: keys of an account that are not revoked
