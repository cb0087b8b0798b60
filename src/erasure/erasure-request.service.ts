import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { WrongPassword } from '../auth/auth.errors';
import { AuthAttemptLimiter } from '../auth/limits/auth-attempt-limiter.service';
import { PasswordHasher } from '../auth/passwords/password-hasher.service';
import { Unauthorized } from '../common/errors';
import { ErasureService } from './erasure.service';

@Injectable()
export class ErasureRequestService {
  constructor(
    private readonly erasures: ErasureService,
    private readonly accounts: AccountsRepository,
    private readonly attempts: AuthAttemptLimiter,
    private readonly passwords: PasswordHasher,
  ) {}

  /**
   * Starts the erasure after checking the password. The account is closed when this returns; its data is removed within
   * minutes.
   */
  async request(account: AccountScope, password: string, address: string): Promise<void> {
    const login = await this.accounts.findOwnCredentials(account);
    if (!login) throw new Unauthorized();
    const attempt = { kind: 'login', account: login.email, address } as const;
    await this.attempts.count(attempt);
    if (!(await this.passwords.verify(password, login.passwordHash))) throw new WrongPassword();
    await this.attempts.refund(attempt);
    await this.erasures.start(account);
  }
}
