import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { generateApiKey, toStoredKey } from '../auth/api-key';
import type { ApiKey, KeyKind } from '../auth/api-key.schema';
import { ApiKeysRepository, type KeyRecord, type KeyStatus } from '../auth/api-keys.repository';
import { ApiKeyActive, ApiKeyNotFound, TooManyApiKeys } from '../auth/auth.errors';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import { DeviceNotFound } from '../devices/devices.errors';
import { DevicesRepository } from '../devices/devices.repository';

export const MAX_ACTIVE_KEYS = 100;
const MAX_LISTED_KEYS = 500;
const DEFAULT_NAME = 'API key';

/** How long a phone key waits for its phone. */
export const PHONE_KEY_BINDING_LIMIT_MS = 24 * 3_600_000;

export interface NewApiKey {
  readonly name?: string;
  /** A full key unless it says otherwise. */
  readonly kind?: KeyKind;
  /** The device a phone key is for; without it, the first phone that registers with the key binds it. */
  readonly deviceId?: Types.ObjectId;
}

/** An account's keys, as their owner handles them. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly devices: DevicesRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a key.
   * @param asked `deviceId` only with the kind `phone`.
   * @returns the key itself, which nobody can read again.
   * @throws TooManyApiKeys, DeviceNotFound
   */
  async create(account: AccountScope, { name = DEFAULT_NAME, kind, deviceId }: NewApiKey): Promise<string> {
    if (deviceId && !(await this.devices.find(account, deviceId))) throw new DeviceNotFound();
    const key = generateApiKey();
    const now = this.clock.now();
    const record: Omit<ApiKey, 'slot'> = {
      _id: new Types.ObjectId(),
      user: account.user,
      ...toStoredKey(key),
      name,
      kind: kind ?? 'full',
      ...(deviceId && { device: deviceId }),
      ...(kind === 'phone' && { expiresAt: new Date(now.getTime() + PHONE_KEY_BINDING_LIMIT_MS) }),
      createdAt: now,
    };
    // A key that finds its slot taken meanwhile tries the next one, until there is none.
    for (;;) {
      await this.keys.freeSlots(account, now);
      const slot = await this.freeSlot(account);
      if (await this.keys.insert({ ...record, slot })) return key;
    }
  }

  /** The newest first, at most 500; expired keys are left out. */
  async list(account: AccountScope, status: KeyStatus | 'all'): Promise<KeyRecord[]> {
    const keys = await this.keys.list(account, status, MAX_LISTED_KEYS);
    const now = this.clock.now();
    return keys.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
  }

  /** From now on the key is refused everywhere, and its streams close. @throws ApiKeyNotFound */
  async revoke(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord> {
    await this.keys.revoke(account, id, this.clock.now());
    await this.accessChanges.announce(account);
    return this.get(account, id);
  }

  /** @throws ApiKeyNotFound */
  async rename(account: AccountScope, id: Types.ObjectId, name: string): Promise<KeyRecord> {
    await this.keys.rename(account, id, name);
    return this.get(account, id);
  }

  /** @throws ApiKeyNotFound, ApiKeyActive */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (await this.keys.removeRevoked(account, id)) return;
    await this.get(account, id);
    throw new ApiKeyActive();
  }

  /**
   * The lowest free slot. Keys of earlier versions have none: each of them lowers the number of slots, so that all
   * active keys together are never more than the limit.
   * @throws TooManyApiKeys
   */
  private async freeSlot(account: AccountScope): Promise<number> {
    const slots = await this.keys.listSlots(account);
    const taken = new Set(slots);
    const withoutSlot = slots.filter((slot) => slot === undefined).length;
    for (let slot = 0; slot < MAX_ACTIVE_KEYS - withoutSlot; slot += 1) if (!taken.has(slot)) return slot;
    throw new TooManyApiKeys(MAX_ACTIVE_KEYS);
  }

  private async get(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord> {
    const key = await this.keys.find(account, id);
    if (!key) throw new ApiKeyNotFound();
    return key;
  }
}
