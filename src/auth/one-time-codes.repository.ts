import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { upsertSafely } from '../common/persistence/duplicate-key';
import { AccountScope } from './account-scope';
import { CodePurpose, OneTimeCode } from './one-time-code.schema';

const idOf = (account: AccountScope, purpose: CodePurpose) => `${account.user.toHexString()}:${purpose}`;

@Injectable()
export class OneTimeCodesRepository {
  constructor(@InjectModel(OneTimeCode.name) private readonly codes: Model<OneTimeCode>) {}

  /** Stores a code in the place of the one before. */
  async put(
    account: AccountScope,
    purpose: CodePurpose,
    code: Pick<OneTimeCode, 'hash' | 'email' | 'expiresAt'>,
  ): Promise<void> {
    await upsertSafely(() =>
      this.codes.updateOne(
        { _id: idOf(account, purpose) },
        { $set: { ...code, user: account.user, tries: 0 } },
        { upsert: true },
      ),
    );
  }

  /** Counts a try, in one conditional write: many at once are no more than `most`. @returns whether it counts. */
  async countTry(account: AccountScope, purpose: CodePurpose, most: number, now: Date): Promise<boolean> {
    const result = await this.codes.updateOne(
      { _id: idOf(account, purpose), tries: { $lt: most }, expiresAt: { $gt: now } },
      { $inc: { tries: 1 } },
    );
    return result.modifiedCount === 1;
  }

  /** The address that the latest code proves; null when there is none. */
  async findEmail(account: AccountScope, purpose: CodePurpose, now: Date): Promise<string | null> {
    const code = await this.codes
      .findOne({ _id: idOf(account, purpose), expiresAt: { $gt: now } }, { email: 1 })
      .lean<Pick<OneTimeCode, 'email'>>();
    return code?.email ?? null;
  }

  /** Uses a code up, in one conditional write: of many at once, one does. @returns whether it was this one. */
  async consume(account: AccountScope, purpose: CodePurpose, email: string, hash: string): Promise<boolean> {
    const result = await this.codes.deleteOne({ _id: idOf(account, purpose), email, hash });
    return result.deletedCount === 1;
  }
}
