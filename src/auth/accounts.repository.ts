import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { gatheredReads } from '../common/gathering';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { AccountScope } from './account-scope';
import { Account } from './account.schema';

const PROFILE = { name: 1, email: 1, emailVerifiedAt: 1, createdAt: 1 } as const;
const SENDER = { defaultDevice: 1, plan: 1, email: 1, emailVerifiedAt: 1 } as const;
const LOGIN = { ...PROFILE, passwordHash: 1, tokenGeneration: 1, knownAddresses: 1 } as const;

/** The beginning of time, for conditions that an index on a date serves. */
const EVER = new Date(0);

export type Profile = Pick<Account, '_id' | keyof typeof PROFILE>;
export type Login = Pick<Account, '_id' | keyof typeof LOGIN>;
export type AccountSummary = Profile & Pick<Account, 'plan' | 'disabledAt'>;
export type Sender = Pick<Account, '_id' | keyof typeof SENDER>;

/** An address that was verified before keeps its time. */
const verified = (now: Date) => ({
  $min: { emailVerifiedAt: now, firstVerifiedAt: now },
  $unset: { unverifiedUntil: 1 as const },
});

const MAX_KNOWN_ADDRESSES = 20;

const hexOf = (id: Types.ObjectId): string => id.toHexString();

@Injectable()
export class AccountsRepository {
  private readonly senders = gatheredReads(hexOf, (users: readonly Types.ObjectId[]) =>
    this.readSenders(users),
  );

  constructor(@InjectModel(Account.name) private readonly accounts: Model<Account>) {}

  async anyExists(): Promise<boolean> {
    return (await this.accounts.exists({})) !== null;
  }

  /** @returns false when an account with this address (or id) exists already. */
  async create(account: Account): Promise<boolean> {
    try {
      await this.accounts.insertMany([account], { lean: true });
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  findProfile(account: AccountScope): Promise<Profile | null> {
    return this.accounts.findById(account.user, PROFILE).lean<Profile>();
  }

  /** @param email lower case. */
  findLogin(email: string): Promise<Login | null> {
    return this.accounts.findOne({ email }, LOGIN).lean<Login>();
  }

  findOwnLogin(account: AccountScope): Promise<Login | null> {
    return this.accounts.findById(account.user, LOGIN).lean<Login>();
  }

  /** The token generation of each of these accounts that exists, by its id in hexadecimal. */
  async findTokenGenerations(users: readonly Types.ObjectId[]): Promise<Map<string, number>> {
    const found = await this.accounts
      .find({ _id: { $in: users } }, { tokenGeneration: 1 })
      .lean<Pick<Account, '_id' | 'tokenGeneration'>[]>();
    return new Map(found.map(({ _id, tokenGeneration = 0 }) => [_id.toHexString(), tokenGeneration]));
  }

  /**
   * Sets a password and ends all sessions.
   * @param replaces the hash it takes the place of; null for none; undefined for any.
   * @returns the new token generation; null when `replaces` is no longer the account's.
   */
  async setPassword(
    account: AccountScope,
    passwordHash: string,
    replaces: string | null | undefined,
    now: Date,
  ): Promise<number | null> {
    const changed = await this.accounts
      .findOneAndUpdate(
        {
          _id: account.user,
          ...(replaces !== undefined && { passwordHash: replaces ?? { $exists: false } }),
        },
        { $set: { passwordHash, updatedAt: now }, $inc: { tokenGeneration: 1 } },
        { returnDocument: 'after', projection: { tokenGeneration: 1 } },
      )
      .lean<Pick<Account, 'tokenGeneration'>>();
    return changed?.tokenGeneration ?? null;
  }

  /** Sets the password of who reads the account's mail; ends all sessions, and verifies the address. */
  async resetPassword(
    account: AccountScope,
    email: string,
    passwordHash: string,
    now: Date,
  ): Promise<boolean> {
    const result = await this.accounts.updateOne(
      { _id: account.user, email },
      { ...verified(now), $set: { passwordHash, updatedAt: now }, $inc: { tokenGeneration: 1 } },
    );
    return result.matchedCount === 1;
  }

  /** @returns false when this is no longer the address of the account, or the account was removed. */
  async markVerified(account: AccountScope, email: string, now: Date): Promise<boolean> {
    const result = await this.accounts.updateOne(
      { _id: account.user, email },
      { ...verified(now), $set: { updatedAt: now } },
    );
    return result.matchedCount === 1;
  }

  /** The same; removes the password and ends all sessions, because somebody else may have registered. */
  async markVerifiedWithoutPassword(account: AccountScope, email: string, now: Date): Promise<boolean> {
    const { $min, $unset } = verified(now);
    const result = await this.accounts.updateOne(
      { _id: account.user, email },
      {
        $min,
        $unset: { ...$unset, passwordHash: 1 },
        $set: { updatedAt: now },
        $inc: { tokenGeneration: 1 },
      },
    );
    return result.matchedCount === 1;
  }

  /** Remembers where a person signed in from, for the last 20 addresses. */
  async rememberAddress(account: AccountScope, address: string, now: Date): Promise<void> {
    const known = { address, at: now };
    await this.accounts.updateOne({ _id: account.user }, { $pull: { knownAddresses: { address } } });
    await this.accounts.updateOne(
      { _id: account.user },
      { $push: { knownAddresses: { $each: [known], $slice: -MAX_KNOWN_ADDRESSES } } },
    );
  }

  /** Whether an address of the account was ever verified. Processes of the version before set the second field alone. */
  async wasVerified(account: AccountScope): Promise<boolean> {
    const found = await this.accounts
      .findById(account.user, { firstVerifiedAt: 1, emailVerifiedAt: 1 })
      .lean<Pick<Account, 'firstVerifiedAt' | 'emailVerifiedAt'>>();
    return (found?.firstVerifiedAt ?? found?.emailVerifiedAt) !== undefined;
  }

  /** Removes accounts whose time to verify is over, in one conditional delete. @returns how many. */
  async removeUnverified(now: Date): Promise<number> {
    const result = await this.accounts.deleteMany({
      unverifiedUntil: { $lte: now },
      firstVerifiedAt: { $exists: false },
      // A process of the version before verifies by this field alone.
      emailVerifiedAt: { $exists: false },
    });
    return result.deletedCount;
  }

  async rename(account: AccountScope, name: string, now: Date): Promise<void> {
    await this.accounts.updateOne({ _id: account.user }, { $set: { name, updatedAt: now } });
  }

  /**
   * Moves the account to another address, which was proved.
   * @returns `taken` when it is another account's, `changed meanwhile` when `former` is no longer the account's own.
   */
  async changeEmail(
    account: AccountScope,
    former: string,
    email: string,
    now: Date,
  ): Promise<'changed' | 'taken' | 'changed meanwhile'> {
    try {
      const result = await this.accounts.updateOne(
        { _id: account.user, email: former },
        {
          $min: { firstVerifiedAt: now },
          $unset: { unverifiedUntil: 1 },
          $set: { email, emailVerifiedAt: now, updatedAt: now },
        },
      );
      return result.matchedCount === 1 ? 'changed' : 'changed meanwhile';
    } catch (failure) {
      if (isDuplicateKey(failure)) return 'taken';
      throw failure;
    }
  }

  async setPlan(account: AccountScope, plan: string, now: Date): Promise<void> {
    await this.accounts.updateOne({ _id: account.user }, { $set: { plan, updatedAt: now } });
  }

  /** Disables the account; one that is disabled already keeps its time. */
  async disable(account: AccountScope, now: Date): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user, disabledAt: { $exists: false } },
      { $set: { disabledAt: now, updatedAt: now } },
    );
  }

  async enable(account: AccountScope, now: Date): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user },
      { $unset: { disabledAt: 1 }, $set: { updatedAt: now } },
    );
  }

  /** The ids of all disabled accounts. */
  async listDisabledIds(): Promise<Types.ObjectId[]> {
    const found = await this.accounts.find({ disabledAt: { $gte: EVER } }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }

  /** All accounts by address but those being erased, in pages: those after `after`. */
  listAfter(after: string, limit: number): Promise<AccountSummary[]> {
    return this.accounts
      .find(
        { email: { $gt: after }, erasingSince: { $exists: false } },
        { ...PROFILE, plan: 1, disabledAt: 1 },
      )
      .sort({ email: 1 })
      .limit(limit)
      .lean<AccountSummary[]>();
  }

  /** The ids of all accounts in their order, in pages: those after `after`. */
  async listIdsAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.accounts
      .find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  async defaultDeviceOf(account: AccountScope): Promise<Types.ObjectId | undefined> {
    return (await this.findSender(account))?.defaultDevice;
  }

  /** What a send needs to know of its account. */
  findSender(account: AccountScope): Promise<Sender | null> {
    return this.senders.ask(account.user);
  }

  async setDefaultDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.accounts.updateOne({ _id: account.user }, { $set: { defaultDevice: device, updatedAt: now } });
  }

  /** Makes the device the default unless the account has one; the first of two at once wins. */
  async setDefaultDeviceIfNone(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user, defaultDevice: { $exists: false } },
      { $set: { defaultDevice: device, updatedAt: now } },
    );
  }

  /**
   * Takes the account's turn to register a phone. Whoever dies with it loses it at `until`.
   * @returns false while somebody else has it.
   */
  async takeRegistrationTurn(
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

  async endRegistrationTurn(account: AccountScope, by: Types.ObjectId): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user, 'registering.by': by },
      { $unset: { registering: 1 } },
    );
  }

  async unsetDefaultDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.accounts.updateOne(
      { _id: account.user, defaultDevice: device },
      { $unset: { defaultDevice: 1 }, $set: { updatedAt: now } },
    );
  }

  private async readSenders(users: readonly Types.ObjectId[]): Promise<Map<string, Sender>> {
    const found = await this.accounts.find({ _id: { $in: users } }, SENDER).lean<Sender[]>();
    return new Map(found.map((account) => [hexOf(account._id), account]));
  }
}
