import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A full key opens the account; a phone key only what one phone calls. */
export const KEY_KINDS = ['full', 'phone'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

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

  /** Absent on full keys made before there were phone keys. */
  @Prop({ type: String, enum: KEY_KINDS })
  kind?: KeyKind;

  /** The device a phone key was made for or is bound to. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /** Set on a phone key until a phone binds it. */
  @Prop({ type: Date })
  expiresAt?: Date;

  /** One of the account's places for active keys, counted from 0. Absent on revoked and on older keys. */
  @Prop({ type: Number })
  slot?: number;

  @Prop({ type: Date })
  lastUsedAt?: Date;

  /** The network address it was last used from. */
  @Prop({ type: String })
  lastUsedFrom?: string;

  @Prop({ type: Date })
  revokedAt?: Date;

  @Prop({ type: Date, required: true })
  createdAt!: Date;
}

export const ApiKeySchema = SchemaFactory.createForClass(ApiKey);
ApiKeySchema.index({ hash: 1 }, { unique: true }); // every request: which account does this key open
ApiKeySchema.index({ user: 1, revokedAt: 1 }); // stats, lists: keys of an account that are not revoked
ApiKeySchema.index(
  { user: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
); // never more active keys than there are slots, also when several are created at once
ApiKeySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of phone keys that no phone has bound
