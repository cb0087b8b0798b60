import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';

/** A full key gives access to the account; a phone key only to the routes of one phone. */
export const KEY_KINDS = ['full', 'phone'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** An API key. Only its hash is stored. */
@Schema({ collection: 'apikeys', versionKey: false })
export class ApiKey {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  hash!: string;

  /** The first characters of the key, shown to its owner. */
  @Prop({ type: String })
  start!: string;

  @Prop({ type: String })
  name!: string;

  /** Absent: full. */
  @Prop({ type: String })
  kind?: KeyKind;

  /** The device a phone key was created for or is bound to. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /** Set on a phone key until a phone binds it. */
  @Prop({ type: Date })
  expiresAt?: Date;

  /** One of the account's slots for active keys, counted from 0. Absent on revoked keys, and on those made without one, such as the first. */
  @Prop({ type: Number })
  slot?: number;

  @Prop({ type: Date })
  lastUsedAt?: Date;

  /** The client address; for IPv6, the /64 network. */
  @Prop({ type: String })
  lastUsedFrom?: string;

  @Prop({ type: Date })
  revokedAt?: Date;

  @Prop({ type: Date })
  createdAt!: Date;
}

export const ApiKeySchema = SchemaFactory.createForClass(ApiKey);
ApiKeySchema.index({ hash: 1 }, { unique: true }); // authentication of every request
ApiKeySchema.index({ user: 1, revokedAt: 1 }); // stats, lists: keys of an account that are not revoked
ApiKeySchema.index({ user: 1, slot: 1 }, { unique: true, ...ifPresent('slot') }); // limits active keys to the number of slots, even with concurrent creation
ApiKeySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of phone keys that were never bound
