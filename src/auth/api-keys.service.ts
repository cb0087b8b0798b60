import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import { AccountScope } from './account-scope';
import { generateApiKey, toStoredKey } from './api-key';
import { ApiKeysRepository, type KeyRecord, type KeyStatus } from './api-keys.repository';
import { ApiKeyActive, ApiKeyNotFound, TooManyApiKeys } from './auth.errors';

const MOST_ACTIVE = 100;
const MOST_LISTED = 500;
const DEFAULT_NAME = 'API key';

/** An account's keys, as their owner handles them. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a key.
   * @returns the key itself, which nobody can read again.
   * @throws TooManyApiKeys
   */
  async create(account: AccountScope, name = DEFAULT_NAME): Promise<string> {
    if ((await this.keys.countActive(account)) >= MOST_ACTIVE) throw new TooManyApiKeys(MOST_ACTIVE);
    const key = generateApiKey();
    await this.keys.put(account, toStoredKey(key), name, this.clock.now());
    return key;
  }

  /** The newest first, at most 500. */
  list(account: AccountScope, status: KeyStatus | 'all'): Promise<KeyRecord[]> {
    return this.keys.list(account, status, MOST_LISTED);
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

  private async get(account: AccountScope, id: Types.ObjectId): Promise<KeyRecord> {
    const key = await this.keys.find(account, id);
    if (!key) throw new ApiKeyNotFound();
    return key;
  }
}
