import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { gatheredReads } from '../common/gathering';
import { upsertSafely } from '../common/persistence/duplicate-key';
import { AccountScope } from './account-scope';
import type { StoredKey } from './api-key';
import { ApiKey } from './api-key.schema';

export const KEY_STATUSES = ['active', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

const WITH_STATUS = {
  active: { revokedAt: { $exists: false } },
  revoked: { revokedAt: { $exists: true } },
  all: {},
} as const;
const RECORD = { name: 1, start: 1, lastUsedAt: 1, createdAt: 1, revokedAt: 1 } as const;

export type KeyRecord = Pick<ApiKey, '_id' | keyof typeof RECORD>;
export type OpenKey = Pick<ApiKey, '_id' | 'user' | 'lastUsedAt'>;

@Injectable()
export class ApiKeysRepository {
  private readonly active = gatheredReads(String, (hashes: readonly string[]) => this.readActive(hashes));

  constructor(@InjectModel(ApiKey.name) private readonly keys: Model<ApiKey>) {}

  /** Asked with every request, and so of the database at most once at a time. */
  findActiveByHash(hash: string): Promise<OpenKey | null> {
    return this.active.ask(hash);
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
    return this.keys.countDocuments({ user: account.user, ...WITH_STATUS.active });
  }

  /** Stores the key; one with the same hash is taken over by the account. */
  async put(account: AccountScope, { hash, start }: StoredKey, name: string, now: Date): Promise<void> {
    await upsertSafely(() =>
      this.keys.updateOne(
        { hash },
        { $set: { user: account.user, start, name }, $setOnInsert: { createdAt: now } },
        { upsert: true },
      ),
    );
  }

  async remove(account: AccountScope, hash: string): Promise<void> {
    await this.keys.deleteOne({ hash, user: account.user });
  }

  /** The newest first. */
  list(account: AccountScope, status: KeyStatus | 'all', limit: number): Promise<KeyRecord[]> {
    return this.keys
      .find({ user: account.user, ...WITH_STATUS[status] }, RECORD)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<KeyRecord[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord | null> {
    return this.keys.findOne({ _id: id, user: account.user }, RECORD).lean<KeyRecord>();
  }

  /** Revokes a key; one that is revoked already keeps its time. */
  async revoke(account: AccountScope, id: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateOne(
      { _id: id, user: account.user, ...WITH_STATUS.active },
      { $set: { revokedAt: now } },
    );
  }

  async revokeAll(account: AccountScope, now: Date): Promise<void> {
    await this.keys.updateMany({ user: account.user, ...WITH_STATUS.active }, { $set: { revokedAt: now } });
  }

  async rename(account: AccountScope, id: Types.ObjectId, name: string): Promise<void> {
    await this.keys.updateOne({ _id: id, user: account.user }, { $set: { name } });
  }

  /** @returns false when there is no such key, or it still opens the account. */
  async removeRevoked(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const result = await this.keys.deleteOne({ _id: id, user: account.user, ...WITH_STATUS.revoked });
    return result.deletedCount === 1;
  }

  async touch(id: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateOne({ _id: id }, { $set: { lastUsedAt: now } });
  }

  private async readActive(hashes: readonly string[]): Promise<Map<string, OpenKey>> {
    const found = await this.keys
      .find({ hash: { $in: hashes }, revokedAt: { $exists: false } }, { hash: 1, user: 1, lastUsedAt: 1 })
      .lean<(OpenKey & Pick<ApiKey, 'hash'>)[]>();
    return new Map(found.map((key) => [key.hash, key]));
  }
}
