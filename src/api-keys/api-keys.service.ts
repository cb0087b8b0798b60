import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { generateApiKey, toStoredKey } from '../auth/api-keys/api-key';
import type { ApiKey } from '../auth/api-keys/api-key.schema';
import { ApiKeysRepository, type KeyRecord, type KeyStatus } from '../auth/api-keys/api-keys.repository';
import { ApiKeyActive, ApiKeyNotFound, TooManyApiKeys } from '../auth/api-keys/api-key.errors';
import { Clock } from '../common/clock';
import { KeyedQueue } from '../common/keyed-queue';
import { lowestFreeSlot } from '../common/lowest-free-slot';
import { AccessChanges } from '../infrastructure/redis/access-changes';
import { DeviceNotFound } from '../devices/store/devices.errors';
import { DevicesRepository } from '../devices/store/devices.repository';
import { DAY_MS } from '../common/durations';

export const MAX_ACTIVE_KEYS = 100;
const MAX_LISTED_KEYS = 500;
const DEFAULT_NAME = 'API key';

export const PHONE_KEY_BINDING_TIMEOUT_MS = DAY_MS;

/** Without a device, the first phone that registers with a phone key binds it. */
export type NewApiKey = Partial<Pick<ApiKey, 'name' | 'kind' | 'device'>>;

@Injectable()
export class ApiKeysService {
  private readonly creations = new KeyedQueue();

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly devices: DevicesRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key; `device` requires the kind `phone`.
   * @returns the key itself, of which only a hash is stored.
   * @throws TooManyApiKeys, DeviceNotFound
   */
  async create(account: AccountScope, newKey: NewApiKey): Promise<string> {
    const { device } = newKey;
    if (device && !(await this.devices.find(account, device))) throw new DeviceNotFound();
    return this.store(account, newKey);
  }

  /**
   * Creates a phone key for a device that is stored when its phone registers. Earlier keys for it are revoked.
   * @throws TooManyApiKeys
   */
  async createForNewDevice(
    account: AccountScope,
    name: string | undefined,
    device: Types.ObjectId,
  ): Promise<string> {
    await this.keys.revokeOfDevice(account, device, this.clock.now());
    return this.store(account, { name, kind: 'phone', device });
  }

  /** The newest 500 at most, without expired keys. */
  async list(account: AccountScope, status: KeyStatus | 'all'): Promise<KeyRecord[]> {
    const keys = await this.keys.list(account, status, MAX_LISTED_KEYS);
    const now = this.clock.now();
    return keys.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
  }

  /** Revokes a key in every process and closes its streams. @throws ApiKeyNotFound */
  async revoke(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord> {
    await this.keys.revoke(account, id, this.clock.now());
    await this.accessChanges.publish(account);
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
   * The lowest free slot. Each active key without a slot, such as the first of an installation, lowers the number of slots by one.
   * @throws TooManyApiKeys
   */
  private async findFreeSlot(account: AccountScope): Promise<number> {
    const slot = lowestFreeSlot(await this.keys.listSlots(account), MAX_ACTIVE_KEYS);
    if (slot === undefined) throw new TooManyApiKeys(MAX_ACTIVE_KEYS);
    return slot;
  }

  /** Stores a new key in a free slot. @returns the key itself. */
  private async store(
    account: AccountScope,
    { name = DEFAULT_NAME, kind = 'full', device }: NewApiKey,
  ): Promise<string> {
    const key = generateApiKey();
    const now = this.clock.now();
    const record: Omit<ApiKey, 'slot'> = {
      _id: new Types.ObjectId(),
      user: account.user,
      ...toStoredKey(key),
      name,
      kind,
      ...(device && { device }),
      ...(kind === 'phone' && { expiresAt: new Date(now.getTime() + PHONE_KEY_BINDING_TIMEOUT_MS) }),
      createdAt: now,
    };
    return this.creations.run(account.user.toHexString(), async () => {
      // Retries while other processes take the slot, until no slot is free.
      for (;;) {
        await this.keys.freeSlots(account, now);
        const slot = await this.findFreeSlot(account);
        if (await this.keys.insert({ ...record, slot })) return key;
      }
    });
  }

  private async get(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord> {
    const key = await this.keys.find(account, id);
    if (!key) throw new ApiKeyNotFound();
    return key;
  }
}
