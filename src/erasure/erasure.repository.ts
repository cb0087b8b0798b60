import { Injectable } from '@nestjs/common';
import { InjectConnection, InjectModel } from '@nestjs/mongoose';
import { Connection, Model, Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Account } from '../auth/account.schema';
import { Usage } from '../billing/usage.schema';

const BATCH_SIZE = 1_000;

/**
 * Removes what an account has stored, in every collection whose documents name their account in `user`: also in those
 * that are added later. Small collections without an index on `user` (codes, removals, links) are read whole.
 */
@Injectable()
export class ErasureRepository {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    @InjectModel(Account.name) private readonly accounts: Model<Account>,
  ) {}

  /** The collections whose documents belong to an account. */
  get collections(): string[] {
    return Object.values(this.connection.models)
      .filter(({ schema }) => 'user' in schema.paths)
      .map(({ collection }) => collection.name);
  }

  /** Removes a batch of the account's documents from the collection. @returns how many there were; 0 when none is left. */
  async removeBatch(account: AccountScope, collection: string): Promise<number> {
    const documents = this.connection.collection(collection);
    const found = await documents
      .find({ user: account.user }, { projection: { _id: 1 }, limit: BATCH_SIZE })
      .toArray();
    if (found.length === 0) return 0;
    await documents.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, user: account.user });
    return found.length;
  }

  /** @returns whether there was one. */
  async removeUsage(account: AccountScope): Promise<boolean> {
    const result = await this.connection.model<Usage>(Usage.name).deleteOne({ _id: account.user });
    return result.deletedCount === 1;
  }

  /**
   * Marks the account as being erased, in one write: its address is free again, its name and password are gone, and its
   * sessions end. Repeating it changes nothing.
   * @returns false when there is no such account.
   */
  async begin(account: AccountScope, now: Date): Promise<boolean> {
    const { user: _id } = account;
    const result = await this.accounts.updateOne(
      { _id, erasingSince: { $exists: false } },
      {
        $set: { erasingSince: now, email: `${_id.toHexString()}@erased.invalid`, name: '', updatedAt: now },
        $unset: { passwordHash: 1, emailVerifiedAt: 1, defaultDevice: 1 },
        $inc: { tokenGeneration: 1 },
      },
    );
    return result.matchedCount === 1 || (await this.accounts.exists({ _id })) !== null;
  }

  /** Accounts that are being erased: at most `limit`. */
  list(limit: number): Promise<Required<Pick<Account, '_id' | 'erasingSince'>>[]> {
    return this.accounts
      .find({ erasingSince: { $exists: true } }, { erasingSince: 1 })
      .limit(limit)
      .lean<Required<Pick<Account, '_id' | 'erasingSince'>>[]>();
  }

  /** Removes the account itself, at the very end. */
  async finish(id: Types.ObjectId): Promise<void> {
    await this.accounts.deleteOne({ _id: id, erasingSince: { $exists: true } });
  }
}
