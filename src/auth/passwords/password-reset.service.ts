import { Injectable, Logger } from '@nestjs/common';
import { accountScope } from '../account-scope';
import { Clock } from '../../common/clock';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { Mailer } from '../../infrastructure/mail/mailer';
import { passwordResetMail } from '../accounts/account-mails';
import { AccountsRepository, type Login } from '../accounts/accounts.repository';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { CodeInvalid } from '../auth.errors';
import { OneTimeCodesService } from '../mailed-codes/one-time-codes.service';
import { isKnownAddress } from '../accounts/known-address';
import { assertUncommonPassword } from './password-policy';
import { PasswordHasher } from './password-hasher.service';
import { formatError } from '../../common/format-error';

/** Resets a password with a mailed code, or sets the first one. */
@Injectable()
export class PasswordResetService {
  private readonly logger = new Logger(PasswordResetService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly codes: OneTimeCodesService,
    private readonly passwords: PasswordHasher,
    private readonly attempts: AuthAttemptLimiter,
    private readonly mailer: Mailer,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails a code if there is an account with this address. Neither the response nor its timing tells whether there is.
   * @throws TooManyAttempts
   */
  async request(email: string, address: string): Promise<void> {
    const login = await this.accounts.findLogin(email);
    const isKnown = isKnownAddress(login, address, this.clock.now());
    await this.attempts.count({
      kind: isKnown ? 'mail-from-known-address' : 'mail',
      account: email,
      address,
    });
    if (!login) return;
    this.sendCode(login).catch((failure: unknown) => {
      this.logger.error(
        `Could not create a password reset code for account ${String(login._id)}: ${formatError(failure)}`,
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
    { revokeApiKeys }: { readonly revokeApiKeys: boolean },
  ): Promise<void> {
    assertUncommonPassword('newPassword', newPassword, email);
    const attempt = { kind: 'password-reset', account: email, address } as const;
    await this.attempts.count(attempt);
    const [login, passwordHash] = await Promise.all([
      this.accounts.findLogin(email),
      // Hashed also where there is no account, so that the response takes equally long.
      this.passwords.hash(newPassword),
    ]);
    if (!login) throw new CodeInvalid();
    const account = accountScope(login._id);
    if ((await this.codes.verifyCode(account, 'reset-password', code)) !== email) throw new CodeInvalid();
    await this.codes.consume(account, 'reset-password', email, code);
    const now = this.clock.now();
    // Revoked before the sign-in with the new password is possible, and again for keys that an old session created since.
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    if (!(await this.accounts.resetPassword(account, email, passwordHash, now))) throw new CodeInvalid();
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    await this.accessChanges.publish(account);
    await this.attempts.refund(attempt);
  }

  private async sendCode({ _id: user, name, email }: Login): Promise<void> {
    const code = await this.codes.issue(accountScope(user), 'reset-password', email);
    this.mailer.send(passwordResetMail({ id: user.toHexString(), name, email }, code));
  }
}
