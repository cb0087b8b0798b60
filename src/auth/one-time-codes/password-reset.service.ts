import { Injectable, Logger } from '@nestjs/common';
import { accountScope } from '../account-scope';
import { passwordResetEmail } from './account-emails';
import { AccountsRepository } from '../accounts/accounts.repository';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { CodeInvalid } from '../auth.errors';
import { OneTimeCodesService } from './one-time-codes.service';
import { CredentialResetService } from './credential-reset.service';
import { assertUncommonPassword } from '../passwords/password-policy';
import { PasswordHasher } from '../passwords/password-hasher.service';
import { formatError } from '../../common/format-error';

/** Resets a password with a mailed code, or sets the first one. */
@Injectable()
export class PasswordResetService {
  private readonly logger = new Logger(PasswordResetService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly passwords: PasswordHasher,
    private readonly attempts: AuthAttemptLimiter,
    private readonly credentials: CredentialResetService,
  ) {}

  /**
   * Mails a code if there is an account with this address. Neither the response nor its timing reveals whether there is.
   * @throws TooManyAttempts
   */
  async request(email: string, address: string): Promise<void> {
    const login = await this.accounts.findCredentials(email);
    await this.attempts.count(this.attempts.attemptFor('mail', login, email, address));
    if (!login) return;
    this.codes.mail('reset-password', login, passwordResetEmail).catch((failure: unknown) => {
      this.logger.error(
        `Could not create a password reset code for account ${String(login._id)}; the owner can request another: ${formatError(failure)}`,
      );
    });
  }

  /**
   * Sets a new password, ends all sessions and marks the address as verified, because the code was mailed to it.
   * @param options.revokeApiKeys whether to revoke all API keys too.
   * @throws CodeInvalid, TooManyAttempts
   */
  async reset(
    email: string,
    code: string,
    newPassword: string,
    address: string,
    options: { readonly revokeApiKeys: boolean },
  ): Promise<void> {
    assertUncommonPassword('newPassword', newPassword, email);
    const attempt = { kind: 'password-reset', account: email, address } as const;
    await this.attempts.count(attempt);
    const [login, passwordHash] = await Promise.all([
      this.accounts.findCredentials(email),
      // Hashed also where there is no account, so that the response takes equally long.
      this.passwords.hash(newPassword),
    ]);
    if (!login) throw new CodeInvalid();
    const account = accountScope(login._id);
    if ((await this.codes.verifyCode(account, 'reset-password', code)) !== email) throw new CodeInvalid();
    await this.codes.consume(account, 'reset-password', email, code);
    if (!(await this.credentials.reset(account, email, passwordHash, options))) throw new CodeInvalid();
    await this.attempts.refund(attempt);
  }
}
