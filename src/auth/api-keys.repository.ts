import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from './account-scope';
import { ApiKey } from './api-key.schema';

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(ApiKey.name) private readonly keys: Model<ApiKey>) {}

  findActiveByHash(hash: string): Promise<Pick<ApiKey, '_id' | 'user' | 'lastUsedAt'> | null> {
    return this.keys
      .findOne({ hash, revokedAt: { $exists: false } }, { user: 1, lastUsedAt: 1 })
      .lean<Pick<ApiKey, '_id' | 'user' | 'lastUsedAt'>>();
  }

  /** Of these keys, the ids of those that no longer open anything. */
  async findClosed(ids: readonly Types.ObjectId[]): Promise<Set<string>> {
    const open = await this.keys
      .find({ _id: { $in: ids }, revokedAt: { $exists: false } }, { _id: 1 })
      .lean();
    const openIds = new Set(open.map((key) => key._id.toHexString()));
    return new Set(ids.map((id) => id.toHexString()).filter((id) => !openIds.has(id)));
  }

  countActive(account: AccountScope): Promise<number> {
    return this.keys.countDocuments({ user: account.user, revokedAt: { $exists: false } });
  }

  /** Stores the key; one with the same hash is taken over by the account. */
  async put(account: AccountScope, hash: string, name: string, now: Date): Promise<void> {
    await this.keys.updateOne(
      { hash },
      { $set: { user: account.user, name }, $setOnInsert: { createdAt: now } },
      { upsert: true },
    );
  }

  async remove(account: AccountScope, hash: string): Promise<void> {
    await this.keys.deleteOne({ hash, user: account.user });
  }

  async touch(id: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateOne({ _id: id }, { $set: { lastUsedAt: now } });
  }
}
