import { createHash } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../account-scope';
import { Clock } from '../../common/clock';
import { AuthConfig } from '../../config/sections/auth.config';
import { RolesConfig } from '../../config/sections/roles.config';
import { AccountsRepository } from './accounts.repository';
import { generateApiKey, hashApiKey, toStoredKey } from '../api-keys/api-key';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';

/** Creates an account and prints its API key when the service starts on an empty database. */
@Injectable()
export class AccountBootstrap implements OnApplicationBootstrap {
  private readonly logger = new Logger('FirstStart');

  constructor(
    private readonly config: AuthConfig,
    private readonly roles: RolesConfig,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Admin commands run without a role.
    if (this.roles.roles.length === 0) return;
    if (await this.accounts.hasAny()) return;
    const email = this.config.bootstrapEmail.toLowerCase();
    const user = this.idFor(email);
    const now = this.clock.now();
    const apiKey = this.config.bootstrapApiKey ?? generateApiKey();
    // The key comes first: if the process dies before the account exists, the next start repeats both.
    await this.keys.upsert(accountScope(user), toStoredKey(apiKey), 'First key', now);
    const created = await this.accounts.create({
      _id: user,
      email,
      name: 'Owner',
      emailVerifiedAt: now,
      firstVerifiedAt: now,
      createdAt: now,
      updatedAt: now,
    });
    if (this.config.bootstrapApiKey) {
      if (created) this.logger.log(`Account ${email} created; its API key is the one in BOOTSTRAP_API_KEY`);
    } else if (created) {
      this.logger.log(`Account ${email} created. Its API key, shown only once: ${apiKey}`);
    } else {
      // Another process has created the account and printed its key.
      await this.keys.remove(accountScope(user), hashApiKey(apiKey));
    }
  }

  /** Derived from the address, so that processes that start at the same time agree on the id. */
  private idFor(email: string): Types.ObjectId {
    return new Types.ObjectId(createHash('sha256').update(email).digest().subarray(0, 12));
  }
}
