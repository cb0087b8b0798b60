import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A network address that a person signed in from. */
export interface KnownAddress {
  readonly address: string;
  readonly at: Date;
}

/** An account: the owner of devices, messages and keys (`user` in every other document). */
@Schema({ collection: 'accounts', versionKey: false })
export class Account {
  _id!: Types.ObjectId;

  /** Lower case. */
  @Prop({ type: String, required: true })
  email!: string;

  @Prop({ type: String, required: true })
  name!: string;

  @Prop({ type: Date })
  emailVerifiedAt?: Date;

  /** When an address of the account was first verified. */
  @Prop({ type: Date })
  firstVerifiedAt?: Date;

  /** Where its people signed in from, the latest last; see `isKnownAddress`. */
  @Prop({ type: [Object], default: undefined })
  knownAddresses?: KnownAddress[];

  /** Set by registration, unset by the first verification: the account is removed after it. */
  @Prop({ type: Date })
  unverifiedUntil?: Date;

  /** Argon2id; absent until a password is set. */
  @Prop({ type: String })
  passwordHash?: string;

  /** Counts passwords set: a session is valid while it carries the current number. Absent for 0. */
  @Prop({ type: Number })
  tokenGeneration?: number;

  /** The plan's name; absent for the installation's default plan. */
  @Prop({ type: String })
  plan?: string;

  /** The device that sends which name none go out from; `isDefault` of a device is derived from it. */
  @Prop({ type: Types.ObjectId })
  defaultDevice?: Types.ObjectId;

  /** When an operator disabled it: nothing opens it, and nothing is sent for it. */
  @Prop({ type: Date })
  disabledAt?: Date;

  /** Held while a phone is registered: the registrations of an account happen one at a time. */
  @Prop({ type: Object })
  registering?: { by: Types.ObjectId; until: Date };

  /** Set when the account is being erased: it is closed, and everything of it goes. */
  @Prop({ type: Date })
  erasingSince?: Date;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;
}

export const AccountSchema = SchemaFactory.createForClass(Account);
AccountSchema.index({ email: 1 }, { unique: true }); // log in; one account an address
AccountSchema.index({ unverifiedUntil: 1 }); // removal of accounts that were never verified
AccountSchema.index({ erasingSince: 1 }, { partialFilterExpression: { erasingSince: { $exists: true } } }); // erasures under way
AccountSchema.index({ disabledAt: 1 }, { partialFilterExpression: { disabledAt: { $exists: true } } }); // every second: which are disabled
