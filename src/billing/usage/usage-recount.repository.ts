import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { RemovedUsage, Usage } from './usage.schema';

/** The result of a recount. */
export type CountedUsage = Pick<Usage, 'dayCount' | 'monthCount' | 'days'>;

/** What is used as it is mended. What moves it from day to day is in the usage repository. */
@Injectable()
export class UsageRecountRepository {
  constructor(@InjectModel(Usage.name) private readonly usages: Model<Usage>) {}

  /** The accounts that have used anything, in the order of their ids, in pages: those after `after`. */
  async listAccountsAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.usages
      .find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  find(account: AccountScope): Promise<Usage | null> {
    return this.usages.findById(account.user).lean<Usage>();
  }

  /**
   * Sets both counts, and forgets reservations of batches that are gone: nothing is left of them to take back.
   * @returns false when the counts, or what they stand on, have moved since they were read.
   */
  async mend(read: Usage, counted: CountedUsage, gone: readonly Types.ObjectId[]): Promise<boolean> {
    const { _id, day, dayCount, month, monthCount, days, removed } = read;
    const result = await this.usages.updateOne(
      {
        _id,
        day,
        dayCount,
        month,
        monthCount,
        days: days ?? { $exists: false },
        'removed.chunk': removed?.chunk ?? { $exists: false },
      },
      { $set: counted, $pull: { reserved: { $in: gone } } },
    );
    return result.matchedCount === 1;
  }

  /**
   * Adds records that are being removed to what the counts stand on: once, after the chunk before.
   * @param removedDays stays as it is where absent.
   */
  async setRemoved(
    account: AccountScope,
    before: Types.ObjectId | undefined,
    removed: RemovedUsage,
    removedDays?: Usage['removedDays'],
  ): Promise<void> {
    await this.usages.updateOne(
      { _id: account.user, 'removed.chunk': before ?? { $exists: false } },
      { $set: { removed, ...(removedDays && { removedDays }) } },
    );
  }
}
