import { createHash } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../account-scope';
import { Clock } from '../../common/clock';
import { AuthConfig } from '../../config/sections/auth.config';
import { RolesConfig } from '../../config/sections/roles.config';
import { newVerifiedAccount } from './account.schema';
import { AccountsRepository } from './accounts.repository';
import { normalizeEmail } from './normalize-email';
import { generateApiKey, toStoredKey } from '../api-keys/api-key';
import { hashSecret } from '../token';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';

/** Creates the first account and its key if there is no account; logs the key unless BOOTSTRAP_API_KEY sets it. */
@Injectable()
export class AccountBootstrap implements OnApplicationBootstrap {
  private readonly logger = new Logger(AccountBootstrap.name);

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
    const email = normalizeEmail(this.config.bootstrapEmail);
    const user = this.idFor(email);
    const now = this.clock.now();
    const apiKey = this.config.bootstrapApiKey ?? generateApiKey();
    // The key comes first: if the process dies before the account exists, the next start repeats both.
    await this.keys.upsert(accountScope(user), toStoredKey(apiKey), 'First key', now);
    const created = await this.accounts.create(newVerifiedAccount({ _id: user, email, name: 'Owner' }, now));
    if (this.config.bootstrapApiKey) {
      if (created) this.logger.log(`Account ${email} created; its API key is the one in BOOTSTRAP_API_KEY`);
    } else if (created) {
      this.logger.log(`Account ${email} created. Its API key, shown only once: ${apiKey}`);
    } else {
      await this.keys.remove(accountScope(user), hashSecret(apiKey));
    }
  }

  /** Derived from the address, so that processes that start at the same time agree on the id. */
  private idFor(email: string): Types.ObjectId {
    return new Types.ObjectId(createHash('sha256').update(email).digest().subarray(0, 12));
  }
}
