import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** How a person proved who they are. */
export const SIGN_IN_METHODS = ['registration', 'password', 'sign-in-link'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Where a request comes from, as its owner recognizes it. */
export interface Client {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly address: string;
  readonly userAgent?: string;
}

/** A signed-in person. Only the hash of the token is stored. */
@Schema({ collection: 'sessions', versionKey: false })
export class Session {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user!: Types.ObjectId;

  @Prop({ type: String, required: true })
  hash!: string;

  @Prop({ type: String, required: true })
  method!: SignInMethod;

  /** The account's `tokenGeneration` when it was opened: a new password ends all sessions with the same write. */
  @Prop({ type: Number, required: true })
  generation!: number;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  lastUsedAt!: Date;

  @Prop({ type: Object, required: true })
  lastUsedFrom!: Client;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const SessionSchema = SchemaFactory.createForClass(Session);
SessionSchema.index({ hash: 1 }, { unique: true }); // every request with a session
SessionSchema.index({ user: 1, createdAt: -1 }); // list the sessions of an account, the newest first
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removal of expired sessions
