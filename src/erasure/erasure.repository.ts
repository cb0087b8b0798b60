import { Injectable } from '@nestjs/common';
import { InjectConnection, InjectModel } from '@nestjs/mongoose';
import { Connection, Model, Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Account } from '../auth/accounts/account.schema';
import { Usage } from '../billing/usage/usage.schema';

const BATCH_SIZE = 1_000;

/** A document to remove. */
export interface ErasedDocument {
  readonly _id: Types.ObjectId;
  /** The hash of an API key or session token. */
  readonly hash?: string;
}

/**
 * Removes the data of an account from all collections whose schema has a `user` field. Small collections without an index
 * on `user` (codes, removals, links) are scanned.
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

  /** Up to 1,000 of the account's documents in the collection; empty when none is left. */
  listBatch(account: AccountScope, collection: string): Promise<ErasedDocument[]> {
    return this.connection
      .collection<ErasedDocument & { user: Types.ObjectId }>(collection)
      .find({ user: account.user }, { projection: { _id: 1, hash: 1 }, limit: BATCH_SIZE })
      .toArray();
  }

  async removeBatch(
    account: AccountScope,
    collection: string,
    documents: readonly ErasedDocument[],
  ): Promise<void> {
    const ids = documents.map(({ _id }) => _id);
    await this.connection.collection(collection).deleteMany({ _id: { $in: ids }, user: account.user });
  }

  /** @returns whether there was a usage document. */
  async removeUsage(account: AccountScope): Promise<boolean> {
    const result = await this.connection.model<Usage>(Usage.name).deleteOne({ _id: account.user });
    return result.deletedCount === 1;
  }

  /**
   * Marks the account as being erased, in one idempotent write that also releases its e-mail address, removes its name and
   * password, and ends its sessions. It disables the account too, so that a key created concurrently is refused.
   * @returns false when there is no such account.
   */
  async start(account: AccountScope, now: Date): Promise<boolean> {
    const { user: _id } = account;
    const result = await this.accounts.updateOne(
      { _id, erasingSince: { $exists: false } },
      {
        $set: {
          erasingSince: now,
          disabledAt: now,
          email: `${_id.toHexString()}@erased.invalid`,
          name: '',
          updatedAt: now,
        },
        $unset: {
          passwordHash: 1,
          emailVerifiedAt: 1,
          defaultDevice: 1,
          defaultPool: 1,
          defaultCountry: 1,
          consent: 1,
          knownAddresses: 1,
          operator: 1,
        },
        $inc: { tokenGeneration: 1 },
      },
    );
    return result.matchedCount === 1 || (await this.accounts.exists({ _id })) !== null;
  }

  /** All accounts that are being erased. Each is for ten minutes, so they are few. */
  list(): Promise<Required<Pick<Account, '_id' | 'erasingSince'>>[]> {
    return this.accounts
      .find({ erasingSince: { $exists: true } }, { erasingSince: 1 })
      .lean<Required<Pick<Account, '_id' | 'erasingSince'>>[]>();
  }

  async removeAccount(id: Types.ObjectId): Promise<void> {
    await this.accounts.deleteOne({ _id: id, erasingSince: { $exists: true } });
  }
}
