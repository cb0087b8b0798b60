import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { gatheredReads } from '../common/gathering';
import { isDuplicateKey, upsertSafely } from '../common/persistence/duplicate-key';
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
const RECORD = {
  name: 1,
  start: 1,
  kind: 1,
  device: 1,
  expiresAt: 1,
  lastUsedAt: 1,
  lastUsedFrom: 1,
  createdAt: 1,
  revokedAt: 1,
} as const;
const OPEN = { user: 1, kind: 1, device: 1, expiresAt: 1, lastUsedAt: 1 } as const;

export type KeyRecord = Pick<ApiKey, '_id' | keyof typeof RECORD>;
export type OpenKey = Pick<ApiKey, '_id' | keyof typeof OPEN>;

const notExpired = (now: Date) => ({ expiresAt: { $not: { $lte: now } } });

@Injectable()
export class ApiKeysRepository {
  private readonly active = gatheredReads(String, (hashes: readonly string[]) => this.readActive(hashes));

  constructor(@InjectModel(ApiKey.name) private readonly keys: Model<ApiKey>) {}

  /**
   * The key with this hash unless it is revoked; it may have expired. Asked with every request, and so of the database at
   * most once at a time.
   */
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

  /** @returns false when another key has taken the slot meanwhile. */
  async insert(key: ApiKey): Promise<boolean> {
    try {
      await this.keys.insertMany([key], { lean: true });
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  /** The slot of each active key; undefined for keys that were stored without one. */
  async listSlots(account: AccountScope): Promise<(number | undefined)[]> {
    const found = await this.keys
      .find({ user: account.user, ...WITH_STATUS.active }, { slot: 1 })
      .lean<Pick<ApiKey, 'slot'>[]>();
    return found.map(({ slot }) => slot);
  }

  /** Frees the slots of expired keys, and of keys that an earlier version of the service has revoked. */
  async freeSlots(account: AccountScope, now: Date): Promise<void> {
    await this.keys.deleteMany({ user: account.user, ...WITH_STATUS.active, expiresAt: { $lte: now } });
    await this.keys.updateMany(
      { user: account.user, ...WITH_STATUS.revoked, slot: { $exists: true } },
      { $unset: { slot: 1 } },
    );
  }

  /** Stores a full key; one with the same hash is taken over by the account. */
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

  /** The newest first, expired ones among them. */
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
      { $set: { revokedAt: now }, $unset: { slot: 1, expiresAt: 1 } },
    );
  }

  async revokeAll(account: AccountScope, now: Date): Promise<void> {
    await this.keys.updateMany(
      { user: account.user, ...WITH_STATUS.active },
      { $set: { revokedAt: now }, $unset: { slot: 1, expiresAt: 1 } },
    );
  }

  /** Revokes the phone keys of a device. */
  async revokeOfDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateMany(
      { user: account.user, ...WITH_STATUS.active, device },
      { $set: { revokedAt: now }, $unset: { slot: 1, expiresAt: 1 } },
    );
  }

  /** The devices that phone keys which are not revoked are bound to. */
  async listBoundDevices(account: AccountScope): Promise<Types.ObjectId[]> {
    const bound = await this.keys
      .find(
        {
          user: account.user,
          ...WITH_STATUS.active,
          device: { $exists: true },
          expiresAt: { $exists: false },
        },
        { device: 1 },
      )
      .lean<Pick<ApiKey, 'device'>[]>();
    return bound.flatMap(({ device }) => device ?? []);
  }

  /** Whether a phone key of the device was revoked, and is not deleted. */
  async hasRevokedOfDevice(account: AccountScope, device: Types.ObjectId): Promise<boolean> {
    return (await this.keys.exists({ user: account.user, ...WITH_STATUS.revoked, device })) !== null;
  }

  /**
   * Binds a phone key to a device, in one conditional write. Repeating it changes nothing.
   * @returns false when the key is revoked, expired, bound to another device, or was made for another one.
   */
  async bind(account: AccountScope, id: Types.ObjectId, device: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.keys.updateOne(
      {
        _id: id,
        user: account.user,
        kind: 'phone',
        ...WITH_STATUS.active,
        ...notExpired(now),
        device: { $in: [null, device] },
      },
      { $set: { device }, $unset: { expiresAt: 1 } },
    );
    return result.matchedCount === 1;
  }

  async rename(account: AccountScope, id: Types.ObjectId, name: string): Promise<void> {
    await this.keys.updateOne({ _id: id, user: account.user }, { $set: { name } });
  }

  /** @returns false when there is no such key, or it still opens the account. */
  async removeRevoked(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const result = await this.keys.deleteOne({ _id: id, user: account.user, ...WITH_STATUS.revoked });
    return result.deletedCount === 1;
  }

  /** Records a use, unless one after `before` is recorded. */
  async touch(id: Types.ObjectId, now: Date, from: string, before: Date): Promise<void> {
    await this.keys.updateOne(
      { _id: id, lastUsedAt: { $not: { $gt: before } } },
      { $set: { lastUsedAt: now, lastUsedFrom: from } },
    );
  }

  private async readActive(hashes: readonly string[]): Promise<Map<string, OpenKey>> {
    const found = await this.keys
      .find({ hash: { $in: hashes }, revokedAt: { $exists: false } }, { ...OPEN, hash: 1 })
      .lean<(OpenKey & Pick<ApiKey, 'hash'>)[]>();
    return new Map(found.map((key) => [key.hash, key]));
  }
}
