import { createHash } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { AuthConfig } from '../config/auth.config';
import { RolesConfig } from '../config/roles.config';
import { AccountsRepository } from './accounts.repository';
import { generateApiKey, hashApiKey, toStoredKey } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';

/** The first start on an empty database makes an account, and prints its API key once. */
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
    // A process without a role is an operator's command: it does what it is told and no more.
    if (this.roles.roles.length === 0) return;
    if (await this.accounts.anyExists()) return;
    const email = this.config.bootstrapEmail.toLowerCase();
    const user = this.idFor(email);
    const now = this.clock.now();
    const apiKey = this.config.bootstrapApiKey ?? generateApiKey();
    // The key first: should the process die in between, there is still no account and the next start begins anew.
    await this.keys.put({ user }, toStoredKey(apiKey), 'First key', now);
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
      if (created) this.logger.log(`Account ${email} made; its API key is the one in BOOTSTRAP_API_KEY`);
    } else if (created) {
      this.logger.log(`Account ${email} made. Its API key, shown only this once: ${apiKey}`);
    } else {
      // Another process was first and printed its own.
      await this.keys.remove({ user }, hashApiKey(apiKey));
    }
  }

  /** The same id in every process that starts at this moment, so that they agree on whose the key is. */
  private idFor(email: string): Types.ObjectId {
    return new Types.ObjectId(createHash('sha256').update(email).digest().subarray(0, 12));
  }
}
