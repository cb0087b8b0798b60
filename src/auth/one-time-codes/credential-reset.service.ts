import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import type { AccountScope } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';

/** Replaces the credentials of an account whose owner may have lost them to somebody else. */
@Injectable()
export class CredentialResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the password, ends all sessions and marks the address as verified.
   * @param options.revokeApiKeys whether to revoke all API keys too.
   * @returns false if the account no longer has this address.
   */
  async reset(
    account: AccountScope,
    email: string,
    passwordHash: string,
    { revokeApiKeys }: { readonly revokeApiKeys: boolean },
  ): Promise<boolean> {
    const now = this.clock.now();
    // Revoked before the sign-in with the new password is possible, and again for keys that an old session created since.
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    if (!(await this.accounts.resetPassword(account, email, passwordHash, now))) return false;
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    await this.accessChanges.publish(account);
    return true;
  }
}
