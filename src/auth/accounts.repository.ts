import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { AccountScope } from './account-scope';
import { Account } from './account.schema';

export type Sender = Pick<Account, 'defaultDevice' | 'plan' | 'email' | 'emailVerifiedAt'>;

@Injectable()
export class AccountsRepository {
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

  async defaultDeviceOf(account: AccountScope): Promise<Types.ObjectId | undefined> {
    const found = await this.accounts
      .findById(account.user, { defaultDevice: 1 })
      .lean<Pick<Account, 'defaultDevice'>>();
    return found?.defaultDevice;
  }

  /** What a send needs to know of its account. */
  findSender(account: AccountScope): Promise<Sender | null> {
    return this.accounts
      .findById(account.user, { defaultDevice: 1, plan: 1, email: 1, emailVerifiedAt: 1 })
      .lean<Sender>();
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
}
