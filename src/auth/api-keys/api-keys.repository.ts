import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { insertUnlessDuplicate, upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import { AccountScope } from '../account-scope';
import type { StoredKey } from './api-key';
import { ApiKey } from './api-key.schema';

export const KEY_STATUSES = ['active', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

const STATUS_FILTERS = {
  active: { revokedAt: { $exists: false } },
  revoked: { revokedAt: { $exists: true } },
  all: {},
} as const;
const RECORD_FIELDS = {
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
const ACTIVE_FIELDS = { user: 1, kind: 1, device: 1, expiresAt: 1, lastUsedAt: 1 } as const;

export type KeyRecord = Pick<ApiKey, '_id' | keyof typeof RECORD_FIELDS>;
export type ActiveKey = Pick<ApiKey, '_id' | keyof typeof ACTIVE_FIELDS>;

const revocationUpdate = (now: Date) =>
  ({ $set: { revokedAt: now }, $unset: { slot: 1, expiresAt: 1 } }) as const;
const notExpired = (now: Date) => ({ expiresAt: { $not: { $lte: now } } });

@Injectable()
export class ApiKeysRepository {
  private readonly active = new CoalescedLoader(String, (hashes: readonly string[]) =>
    this.readActive(hashes),
  );
  private readonly counts = new CoalescedLoader(String, (users: readonly Types.ObjectId[]) =>
    this.countOfAccounts(users),
  );

  constructor(@InjectModel(ApiKey.name) private readonly keys: Model<ApiKey>) {}

  /** The key with this hash unless it is revoked; it may have expired. Concurrent reads are batched. */
  findActiveByHash(hash: string): Promise<ActiveKey | null> {
    return this.active.load(hash);
  }

  /** Of these key ids, those whose key is revoked or deleted. */
  async findInactive(ids: readonly Types.ObjectId[]): Promise<Set<string>> {
    const active = await this.keys
      .find({ _id: { $in: ids }, ...STATUS_FILTERS.active }, { _id: 1 })
      // In one command.
      .batchSize(ids.length + 1)
      .lean();
    const activeIds = new Set(active.map((key) => key._id.toHexString()));
    return new Set(ids.map((id) => id.toHexString()).filter((id) => !activeIds.has(id)));
  }

  async countActive({ user }: AccountScope): Promise<number> {
    return (await this.counts.load(user)) ?? 0;
  }

  /** @returns false when another key has the slot. */
  insert(key: ApiKey): Promise<boolean> {
    return insertUnlessDuplicate(this.keys, key);
  }

  /** The slot of each active key; undefined for keys stored without one. */
  async listSlots(account: AccountScope): Promise<(number | undefined)[]> {
    const found = await this.keys
      .find({ user: account.user, ...STATUS_FILTERS.active }, { slot: 1 })
      .lean<Pick<ApiKey, 'slot'>[]>();
    return found.map(({ slot }) => slot);
  }

  /** Removes expired keys, and so frees their slots. */
  async freeSlots(account: AccountScope, now: Date): Promise<void> {
    await this.keys.deleteMany({ user: account.user, ...STATUS_FILTERS.active, expiresAt: { $lte: now } });
  }

  /** Stores a full key; an existing key with the same hash becomes the account's. */
  async upsert(account: AccountScope, { hash, start }: StoredKey, name: string, now: Date): Promise<void> {
    await upsertWithRetry(() =>
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

  /** Newest first, including expired keys. */
  list(account: AccountScope, status: KeyStatus | 'all', limit: number): Promise<KeyRecord[]> {
    return this.keys
      .find({ user: account.user, ...STATUS_FILTERS[status] }, RECORD_FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<KeyRecord[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord | null> {
    return this.keys.findOne({ _id: id, user: account.user }, RECORD_FIELDS).lean<KeyRecord>();
  }

  /** Revokes a key; the `revokedAt` of a revoked key stays. */
  async revoke(account: AccountScope, id: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateOne(
      { _id: id, user: account.user, ...STATUS_FILTERS.active },
      revocationUpdate(now),
    );
  }

  async revokeAll(account: AccountScope, now: Date): Promise<void> {
    await this.keys.updateMany({ user: account.user, ...STATUS_FILTERS.active }, revocationUpdate(now));
  }

  /** Revokes the phone keys of a device. */
  async revokeOfDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    await this.keys.updateMany(
      { user: account.user, ...STATUS_FILTERS.active, device },
      revocationUpdate(now),
    );
  }

  /** The devices that active phone keys are bound to. */
  async listBoundDevices(account: AccountScope): Promise<Types.ObjectId[]> {
    const bound = await this.keys
      .find(
        {
          user: account.user,
          ...STATUS_FILTERS.active,
          device: { $exists: true },
          expiresAt: { $exists: false },
        },
        { device: 1 },
      )
      .lean<Pick<ApiKey, 'device'>[]>();
    return bound.flatMap(({ device }) => device ?? []);
  }

  /** Whether the device has a revoked phone key that is not deleted. */
  async hasRevokedOfDevice(account: AccountScope, device: Types.ObjectId): Promise<boolean> {
    return (await this.keys.exists({ user: account.user, ...STATUS_FILTERS.revoked, device })) !== null;
  }

  /**
   * Binds a phone key to a device in one conditional, idempotent write.
   * @returns false when the key is revoked, expired, bound to another device, or was created for another one.
   */
  async bind(account: AccountScope, id: Types.ObjectId, device: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.keys.updateOne(
      {
        _id: id,
        user: account.user,
        kind: 'phone',
        ...STATUS_FILTERS.active,
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

  /** @returns false when there is no such key or it is not revoked. */
  async removeRevoked(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const result = await this.keys.deleteOne({ _id: id, user: account.user, ...STATUS_FILTERS.revoked });
    return result.deletedCount === 1;
  }

  /** Updates `lastUsedAt` unless it is later than `before`. */
  async touch(id: Types.ObjectId, now: Date, from: string, before: Date): Promise<void> {
    await this.keys.updateOne(
      { _id: id, lastUsedAt: { $not: { $gt: before } } },
      { $set: { lastUsedAt: now, lastUsedFrom: from } },
    );
  }

  /** The numbers of active keys, by account id in hexadecimal. */
  private async countOfAccounts(users: readonly Types.ObjectId[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.keys.aggregate<{ _id: Types.ObjectId; count: number }>([
      { $match: { user: { $in: users }, ...STATUS_FILTERS.active } },
      { $group: { _id: '$user', count: { $sum: 1 } } },
    ]);
    return new Map(found.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  private async readActive(hashes: readonly string[]): Promise<Map<string, ActiveKey>> {
    const found = await this.keys
      .find({ hash: { $in: hashes }, ...STATUS_FILTERS.active }, { ...ACTIVE_FIELDS, hash: 1 })
      .lean<(ActiveKey & Pick<ApiKey, 'hash'>)[]>();
    return new Map(found.map((key) => [key.hash, key]));
  }
}
