import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Client } from '../client';

export const SIGN_IN_METHODS = ['registration', 'password', 'sign-in-link'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** A session. Only the hash of its token is stored. */
@Schema({ collection: 'sessions', versionKey: false })
export class Session {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  hash!: string;

  @Prop({ type: String })
  method!: SignInMethod;

  /** The account's `tokenGeneration` at sign-in: incrementing that ends all sessions in one write. */
  @Prop({ type: Number })
  generation!: number;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  lastUsedAt!: Date;

  @Prop({ type: Object })
  lastUsedFrom!: Client;

  @Prop({ type: Date })
  expiresAt!: Date;
}

export const SessionSchema = SchemaFactory.createForClass(Session);
SessionSchema.index({ hash: 1 }, { unique: true }); // every request with a session
SessionSchema.index({ user: 1, createdAt: -1 }); // list the sessions of an account, the newest first
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of expired sessions
