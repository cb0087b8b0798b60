import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import { CONSENT_OF_NEW_ACCOUNTS, type StoredConsentSettings } from './consent-settings';

/** An account: the owner of devices, messages and keys (`user` in other documents). */
@Schema({ collection: 'accounts', versionKey: false })
export class Account {
  _id!: Types.ObjectId;

  /** Lower case. */
  @Prop({ type: String })
  email!: string;

  @Prop({ type: String })
  name!: string;

  @Prop({ type: Date })
  emailVerifiedAt?: Date;

  /** When any address of the account was first verified. */
  @Prop({ type: Date })
  firstVerifiedAt?: Date;

  /** The client addresses that signed in, oldest first; see `isKnownAddress`. */
  @Prop({ type: [Object], default: undefined })
  knownAddresses?: { readonly address: string; readonly at: Date }[];

  /** The account is removed after this time. Set by registration, unset by the first verification. */
  @Prop({ type: Date })
  unverifiedUntil?: Date;

  /** Argon2id; absent until a password is set. */
  @Prop({ type: String })
  passwordHash?: string;

  /** Sessions and sign-in links of another generation are invalid. Absent means 0. */
  @Prop({ type: Number })
  tokenGeneration?: number;

  /** The plan's name; absent for the installation's default plan. */
  @Prop({ type: String })
  plan?: string;

  /** The device for sends that name none; `isDefault` of devices is derived from it. */
  @Prop({ type: Types.ObjectId })
  defaultDevice?: Types.ObjectId;

  /** The pool for sends that name neither a device nor a pool; `isDefault` of pools is derived from it. It may be deleted. */
  @Prop({ type: Types.ObjectId })
  defaultPool?: Types.ObjectId;

  /** Where numbers without a + are dialled: ISO 3166-1 alpha-2. */
  @Prop({ type: String })
  defaultCountry?: string;

  /** Absent: it was not asked yet, and consent is off. */
  @Prop({ type: Object })
  consent?: StoredConsentSettings;

  /** Whether it is an operator's, who administers other accounts; set on the command line only. */
  @Prop({ type: Boolean })
  operator?: boolean;

  /** When it was disabled: its keys and sessions are refused, and its messages wait. */
  @Prop({ type: Date })
  disabledAt?: Date;

  /** The lease that serializes the phone registrations of an account. */
  @Prop({ type: Object })
  registering?: { by: Types.ObjectId; until: Date };

  @Prop({ type: Date })
  erasingSince?: Date;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;
}

export const AccountSchema = SchemaFactory.createForClass(Account);
AccountSchema.index({ email: 1 }, { unique: true }); // sign-in; one account per address
AccountSchema.index({ unverifiedUntil: 1 }); // removal of accounts that were never verified
AccountSchema.index({ erasingSince: 1 }, ifPresent('erasingSince')); // erasures in progress
AccountSchema.index({ disabledAt: 1 }, ifPresent('disabledAt')); // disabled accounts, read every second

/** An account without a password whose address counts as verified. @param account with a normalized `email`. */
export function newVerifiedAccount(
  account: Pick<Account, '_id' | 'email' | 'name' | 'plan'>,
  now: Date,
): Account {
  const verified = { emailVerifiedAt: now, firstVerifiedAt: now };
  return { ...account, ...verified, consent: CONSENT_OF_NEW_ACCOUNTS, createdAt: now, updatedAt: now };
}
