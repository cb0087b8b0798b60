import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AuthenticatedAccount } from './account-scope';
import { hashApiKey } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';

const LAST_USED_RESOLUTION_MS = 60_000;

@Injectable()
export class AuthService {
  private readonly logger = new Logger(AuthService.name);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the account an API key opens, in one indexed read. Nothing is cached: a revoked key is refused at
   * once, everywhere.
   */
  async authenticate(apiKey: string): Promise<AuthenticatedAccount | null> {
    const key = await this.keys.findActiveByHash(hashApiKey(apiKey));
    if (!key) return null;
    const now = this.clock.now();
    if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
      // Nobody waits for this, and nothing depends on it.
      this.keys.touch(key._id, now).catch((failure: unknown) => {
        this.logger.warn(`lastUsedAt was not written: ${String(failure)}`);
      });
    }
    return { user: key.user, apiKey: key._id };
  }
}
