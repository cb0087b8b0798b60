import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { AccountScope } from '../account-scope';
import { CodePurpose, OneTimeCode } from './one-time-code.schema';

export type StoredCodes = Pick<OneTimeCode, 'seed' | 'hash' | 'email' | 'tries' | 'expiresAt' | 'previous'>;
export type NewCode = Required<Pick<OneTimeCode, 'seed' | 'hash' | 'email' | 'expiresAt'>>;

const idOf = (account: AccountScope, purpose: CodePurpose) => `${account.user.toHexString()}:${purpose}`;

@Injectable()
export class OneTimeCodesRepository {
  constructor(@InjectModel(OneTimeCode.name) private readonly codes: Model<OneTimeCode>) {}

  /** The stored codes, valid or not. */
  find(account: AccountScope, purpose: CodePurpose): Promise<StoredCodes | null> {
    return this.codes
      .findById(idOf(account, purpose), { seed: 1, hash: 1, email: 1, tries: 1, expiresAt: 1, previous: 1 })
      .lean<StoredCodes>();
  }

  /** Makes `code` the only one. @returns false when the codes have changed since `found` was read. */
  async replace(
    account: AccountScope,
    purpose: CodePurpose,
    code: NewCode,
    found: StoredCodes | null,
  ): Promise<boolean> {
    const unused = { ...code, user: account.user, tries: 0 };
    if (found) return this.change(account, purpose, found, { $set: unused, $unset: { previous: 1 } });
    return insertUnlessDuplicate(this.codes, { _id: idOf(account, purpose), ...unused });
  }

  /** Makes `code` the current one and keeps that of `found` as previous. @returns false when the codes have changed since. */
  add(account: AccountScope, purpose: CodePurpose, code: NewCode, found: StoredCodes): Promise<boolean> {
    const { hash, email, expiresAt } = found;
    return this.change(account, purpose, found, { $set: { ...code, previous: { hash, email, expiresAt } } });
  }

  /** Counts a try in one conditional write. @returns false when there is no valid code or it was tried `max` times. */
  async countTry(account: AccountScope, purpose: CodePurpose, max: number, now: Date): Promise<boolean> {
    const result = await this.codes.updateOne(
      { _id: idOf(account, purpose), tries: { $lt: max }, expiresAt: { $gt: now } },
      { $inc: { tries: 1 } },
    );
    return result.modifiedCount === 1;
  }

  /**
   * Removes the codes in one conditional write, so that only one of several concurrent calls succeeds.
   * @param hash the hash of the current or previous code.
   * @returns whether this call removed them.
   */
  async consume(
    account: AccountScope,
    purpose: CodePurpose,
    email: string,
    hash: string,
    now: Date,
  ): Promise<boolean> {
    const code = { email, hash, expiresAt: { $gt: now } };
    const previous = { 'previous.email': email, 'previous.hash': hash, 'previous.expiresAt': { $gt: now } };
    const result = await this.codes.deleteOne({ _id: idOf(account, purpose), $or: [code, previous] });
    return result.deletedCount === 1;
  }

  private async change(
    account: AccountScope,
    purpose: CodePurpose,
    { hash }: StoredCodes,
    change: object,
  ): Promise<boolean> {
    const result = await this.codes.updateOne({ _id: idOf(account, purpose), hash }, change);
    return result.matchedCount === 1;
  }
}
