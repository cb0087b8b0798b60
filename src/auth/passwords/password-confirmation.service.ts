import { Injectable } from '@nestjs/common';
import { Unauthorized } from '../../common/errors';
import type { AccountScope } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { WrongPassword } from '../auth.errors';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { PasswordHasher } from './password-hasher.service';

/** Asks for the password of a signed-in account again. */
@Injectable()
export class PasswordConfirmation {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly attempts: AuthAttemptLimiter,
    private readonly passwords: PasswordHasher,
  ) {}

  /**
   * Checks the password of the account; wrong ones count like those of sign-ins.
   * @param address the client address.
   * @param field the request field that the error names.
   * @throws WrongPassword, TooManyAttempts, Unauthorized
   */
  async confirm(account: AccountScope, password: string, address: string, field: string): Promise<void> {
    const login = await this.accounts.findOwnCredentials(account);
    if (!login) throw new Unauthorized();
    const attempt = this.attempts.attemptFor('login', login, login.email, address);
    await this.attempts.count(attempt);
    if (!(await this.passwords.verify(password, login.passwordHash))) throw new WrongPassword(field);
    await this.attempts.refund(attempt);
  }
}
