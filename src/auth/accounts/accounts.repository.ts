import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types, type UpdateQuery } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { AccountScope } from '../account-scope';
import { Account } from './account.schema';
import type { StoredConsentSettings } from './consent-settings';

const PROFILE_FIELDS = {
  name: 1,
  email: 1,
  emailVerifiedAt: 1,
  defaultCountry: 1,
  operator: 1,
  createdAt: 1,
} as const;
const SUMMARY_FIELDS = { ...PROFILE_FIELDS, plan: 1, disabledAt: 1 } as const;
const SENDING_FIELDS = {
  defaultDevice: 1,
  defaultPool: 1,
  defaultCountry: 1,
  plan: 1,
  email: 1,
  emailVerifiedAt: 1,
  consent: 1,
} as const;
const CREDENTIALS_FIELDS = {
  ...PROFILE_FIELDS,
  passwordHash: 1,
  tokenGeneration: 1,
  knownAddresses: 1,
} as const;

const EPOCH = new Date(0);

export type Profile = Pick<Account, '_id' | keyof typeof PROFILE_FIELDS>;
export type AccountCredentials = Pick<Account, '_id' | keyof typeof CREDENTIALS_FIELDS>;
export type AccountSummary = Profile & Pick<Account, 'plan' | 'disabledAt'>;

/** Which accounts to list; an absent field does not filter. */
export interface AccountFilter {
  /** Lower case. */
  readonly emailPrefix?: string;
  /** Names of plans; null for accounts without one, which are on the default plan. */
  readonly plans?: readonly (string | null)[];
  readonly isDisabled?: boolean;
}

export type SendingAccount = Pick<Account, '_id' | keyof typeof SENDING_FIELDS>;

const verificationUpdate = (now: Date) => ({
  $min: { emailVerifiedAt: now, firstVerifiedAt: now },
  $unset: { unverifiedUntil: 1 as const },
});

const MAX_KNOWN_ADDRESSES = 20;

/** After every other character. */
const LAST_CHARACTER = '\u{10ffff}';

@Injectable()
export class AccountsRepository {
  private readonly sendingAccounts = new CoalescedLoader(String, (users: readonly Types.ObjectId[]) =>
    this.readSendingAccounts(users),
  );

  constructor(@InjectModel(Account.name) private readonly accounts: Model<Account>) {}

  async hasAny(): Promise<boolean> {
    return (await this.accounts.exists({})) !== null;
  }

  /** @returns false when an account with this address or id already exists. */
  create(account: Account): Promise<boolean> {
    return insertUnlessDuplicate(this.accounts, account);
  }

  findProfile(account: AccountScope): Promise<Profile | null> {
    return this.accounts.findById(account.user, PROFILE_FIELDS).lean<Profile>();
  }

  /** @param email lower case. */
  findCredentials(email: string): Promise<AccountCredentials | null> {
    return this.accounts.findOne({ email }, CREDENTIALS_FIELDS).lean<AccountCredentials>();
  }

  findOwnCredentials(account: AccountScope): Promise<AccountCredentials | null> {
    return this.accounts.findById(account.user, CREDENTIALS_FIELDS).lean<AccountCredentials>();
  }

  /** @returns undefined when the account does not exist. */
  async findTokenGeneration({ user }: AccountScope): Promise<number | undefined> {
    return (await this.findTokenGenerations([user])).get(user.toHexString());
  }

  /** The token generations of those of these accounts that exist, by account id in hexadecimal. */
  async findTokenGenerations(users: readonly Types.ObjectId[]): Promise<Map<string, number>> {
    const found = await this.accounts
      .find({ _id: { $in: users } }, { tokenGeneration: 1 })
      .lean<Pick<Account, '_id' | 'tokenGeneration'>[]>();
    return new Map(found.map(({ _id, tokenGeneration = 0 }) => [_id.toHexString(), tokenGeneration]));
  }

  /**
   * Sets a password and ends all sessions.
   * @param expectedHash the current hash; null for none; undefined for any.
   * @returns the new token generation; null when the current hash is not the expected one.
   */
  async setPassword(
    account: AccountScope,
    passwordHash: string,
    expectedHash: string | null | undefined,
    now: Date,
  ): Promise<number | null> {
    const changed = await this.accounts
      .findOneAndUpdate(
        {
          _id: account.user,
          ...(expectedHash !== undefined && { passwordHash: expectedHash ?? { $exists: false } }),
        },
        { $set: { passwordHash, updatedAt: now }, $inc: { tokenGeneration: 1 } },
        { returnDocument: 'after', projection: { tokenGeneration: 1 } },
      )
      .lean<Pick<Account, 'tokenGeneration'>>();
    return changed?.tokenGeneration ?? null;
  }

  /** Sets a password, ends all sessions and marks the address as verified. @returns false when it is not the current address. */
  async resetPassword(
    account: AccountScope,
    email: string,
    passwordHash: string,
    now: Date,
  ): Promise<boolean> {
    const update = { ...verificationUpdate(now), $set: { passwordHash }, $inc: { tokenGeneration: 1 } };
    return this.update(account, update, now, { email });
  }

  /** @returns false when it is not the current address or the account was removed. */
  async markVerified(account: AccountScope, email: string, now: Date): Promise<boolean> {
    return this.update(account, verificationUpdate(now), now, { email });
  }

  /** Like `markVerified`, and removes the password and ends all sessions, because somebody else may have registered. */
  async markVerifiedWithoutPassword(account: AccountScope, email: string, now: Date): Promise<boolean> {
    const { $min, $unset } = verificationUpdate(now);
    const update = { $min, $unset: { ...$unset, passwordHash: 1 as const }, $inc: { tokenGeneration: 1 } };
    return this.update(account, update, now, { email });
  }

  /** Ends all sessions and sign-in links. */
  async endSessions(account: AccountScope, now: Date): Promise<void> {
    await this.update(account, { $inc: { tokenGeneration: 1 } }, now);
  }

  /** Keeps the latest 20 addresses. */
  async recordKnownAddress(account: AccountScope, address: string, now: Date): Promise<void> {
    const known = { address, at: now };
    await this.accounts.updateOne({ _id: account.user }, { $pull: { knownAddresses: { address } } });
    await this.accounts.updateOne(
      { _id: account.user },
      { $push: { knownAddresses: { $each: [known], $slice: -MAX_KNOWN_ADDRESSES } } },
    );
  }

  /** Whether an address of the account was ever verified. */
  async wasVerified(account: AccountScope): Promise<boolean> {
    const found = await this.accounts
      .findById(account.user, { firstVerifiedAt: 1 })
      .lean<Pick<Account, 'firstVerifiedAt'>>();
    return found?.firstVerifiedAt !== undefined;
  }

  /** Removes accounts that were not verified in time. @returns how many. */
  async removeUnverified(now: Date): Promise<number> {
    const result = await this.accounts.deleteMany({
      unverifiedUntil: { $lte: now },
      firstVerifiedAt: { $exists: false },
    });
    return result.deletedCount;
  }

  async rename(account: AccountScope, name: string, now: Date): Promise<void> {
    await this.update(account, { $set: { name } }, now);
  }

  /** @param country empty to remove it. */
  async setDefaultCountry(account: AccountScope, country: string, now: Date): Promise<void> {
    const update = country
      ? { $set: { defaultCountry: country } }
      : { $unset: { defaultCountry: 1 as const } };
    await this.update(account, update, now);
  }

  /** @param removed fields that have their default again. */
  async setConsent(
    account: AccountScope,
    settings: Partial<StoredConsentSettings>,
    removed: readonly (keyof StoredConsentSettings)[],
    now: Date,
  ): Promise<void> {
    const set = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`consent.${key}`, value]));
    const unset = Object.fromEntries(removed.map((key) => [`consent.${key}`, 1 as const]));
    await this.update(account, { $set: set, ...(removed.length > 0 && { $unset: unset }) }, now);
  }

  /**
   * Changes the e-mail address to one that was just verified.
   * @returns `taken` when another account has it, `conflict` when `former` is no longer the current address.
   */
  changeEmail(
    account: AccountScope,
    former: string,
    email: string,
    now: Date,
  ): Promise<'changed' | 'taken' | 'conflict'> {
    return ifDuplicate('taken', async () => {
      const update = {
        $min: { firstVerifiedAt: now },
        $unset: { unverifiedUntil: 1 as const },
        $set: { email, emailVerifiedAt: now },
      };
      return (await this.update(account, update, now, { email: former })) ? 'changed' : 'conflict';
    });
  }

  async setPlan(account: AccountScope, plan: string, now: Date): Promise<void> {
    await this.update(account, { $set: { plan } }, now);
  }

  /** Disables the account; the `disabledAt` of a disabled account stays. */
  async disable(account: AccountScope, now: Date): Promise<void> {
    await this.update(account, { $set: { disabledAt: now } }, now, { disabledAt: { $exists: false } });
  }

  async enable(account: AccountScope, now: Date): Promise<void> {
    // An account that is being erased stays disabled.
    await this.update(account, { $unset: { disabledAt: 1 } }, now, { erasingSince: { $exists: false } });
  }

  /** The ids of all disabled accounts. */
  async listDisabledIds(): Promise<Types.ObjectId[]> {
    const found = await this.accounts.find({ disabledAt: { $gte: EPOCH } }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }

  /** Makes an account an operator's, or no longer. */
  async setOperator(account: AccountScope, isOperator: boolean, now: Date): Promise<void> {
    const update = isOperator ? { $set: { operator: true } } : { $unset: { operator: 1 as const } };
    await this.update(account, update, now);
  }

  async isOperator({ user }: AccountScope): Promise<boolean> {
    return (await this.accounts.exists({ _id: user, operator: true })) !== null;
  }

  /** @returns null for an account that is being erased, too. */
  findSummary({ user }: AccountScope): Promise<AccountSummary | null> {
    return this.accounts
      .findOne({ _id: user, erasingSince: { $exists: false } }, SUMMARY_FIELDS)
      .lean<AccountSummary>();
  }

  /** A page of accounts in the order of their addresses, after the address `after`, without those being erased. */
  listAfter(
    after: string,
    limit: number,
    { emailPrefix, plans, isDisabled }: AccountFilter = {},
  ): Promise<AccountSummary[]> {
    return this.accounts
      .find(
        {
          email: {
            $gt: after,
            ...(emailPrefix && { $gte: emailPrefix, $lt: emailPrefix + LAST_CHARACTER }),
          },
          erasingSince: { $exists: false },
          ...(plans && { plan: { $in: [...plans] } }),
          ...(isDisabled !== undefined && { disabledAt: { $exists: isDisabled } }),
        },
        SUMMARY_FIELDS,
      )
      .sort({ email: 1 })
      .hint({ email: 1 })
      .limit(limit)
      .lean<AccountSummary[]>();
  }

  /** A page of account ids in ascending order, after the id `after`. */
  async listIdsAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.accounts
      .find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  async defaultDeviceOf(account: AccountScope): Promise<Types.ObjectId | undefined> {
    return (await this.findSendingAccount(account))?.defaultDevice;
  }

  /** The fields of an account that a send needs. Concurrent reads are batched. */
  findSendingAccount(account: AccountScope): Promise<SendingAccount | null> {
    return this.sendingAccounts.load(account.user);
  }

  async setDefaultDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.update(account, { $set: { defaultDevice: device } }, now);
  }

  /** Makes the device the default unless the account has one; of concurrent calls, the first wins. */
  async setDefaultDeviceIfNone(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    const update = { $set: { defaultDevice: device } };
    await this.update(account, update, now, { defaultDevice: { $exists: false } });
  }

  async setDefaultPool(account: AccountScope, pool: Types.ObjectId, now: Date): Promise<void> {
    await this.update(account, { $set: { defaultPool: pool } }, now);
  }

  async unsetDefaultPool(account: AccountScope, pool: Types.ObjectId, now: Date): Promise<void> {
    await this.update(account, { $unset: { defaultPool: 1 } }, now, { defaultPool: pool });
  }

  /**
   * Acquires the account's lease for registering a phone, until `until` at most.
   * @returns false while another holder has it.
   */
  async acquireRegistrationLease(
    account: AccountScope,
    by: Types.ObjectId,
    until: Date,
    now: Date,
  ): Promise<boolean> {
    const result = await this.accounts.updateOne(
      { _id: account.user, 'registering.until': { $not: { $gt: now } } },
      { $set: { registering: { by, until } } },
    );
    return result.matchedCount === 1;
  }

  async releaseRegistrationLease(account: AccountScope, by: Types.ObjectId): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user, 'registering.by': by },
      { $unset: { registering: 1 } },
    );
  }

  /** Makes another device the default one, if this one is. */
  async replaceDefaultDevice(
    account: AccountScope,
    device: Types.ObjectId,
    by: Types.ObjectId,
    now: Date,
  ): Promise<void> {
    await this.update(account, { $set: { defaultDevice: by } }, now, { defaultDevice: device });
  }

  async unsetDefaultDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.update(account, { $unset: { defaultDevice: 1 } }, now, { defaultDevice: device });
  }

  /** @returns whether the account matches the condition. */
  private async update(
    { user }: AccountScope,
    { $set, ...update }: UpdateQuery<Account>,
    now: Date,
    condition: QueryFilter<Account> = {},
  ): Promise<boolean> {
    const result = await this.accounts.updateOne(
      { ...condition, _id: user },
      { ...update, $set: { ...$set, updatedAt: now } },
    );
    return result.matchedCount === 1;
  }

  private async readSendingAccounts(users: readonly Types.ObjectId[]): Promise<Map<string, SendingAccount>> {
    const found = await this.accounts.find({ _id: { $in: users } }, SENDING_FIELDS).lean<SendingAccount[]>();
    return new Map(found.map((account) => [String(account._id), account]));
  }
}
