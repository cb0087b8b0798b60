import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import { Mailer } from '../mail/mailer';
import { passwordResetMail } from './account-mails';
import { AccountsRepository, type Login } from './accounts.repository';
import { ApiKeysRepository } from './api-keys.repository';
import { AttemptsService } from './attempts.service';
import { CodeInvalid } from './auth.errors';
import { OneTimeCodesService } from './one-time-codes.service';
import { isKnownAddress } from './known-address';
import { assertUncommonPassword } from './password-policy';
import { Passwords } from './passwords';
import { failureLine } from '../common/failure-line';

/** Sets a password for whoever reads the account's mail: a forgotten one, or the first. */
@Injectable()
export class PasswordResetService {
  private readonly logger = new Logger(PasswordResetService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly codes: OneTimeCodesService,
    private readonly passwords: Passwords,
    private readonly attempts: AttemptsService,
    private readonly mailer: Mailer,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails a code if there is an account with this address; the asker learns nothing, also not by the time it takes.
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
    this.mail(login).catch((failure: unknown) => {
      this.logger.error(`No reset code was made: ${failureLine(failure)}`);
    });
  }

  /**
   * Sets a new password, and ends all sessions. The code came by mail, so it proves the address as well.
   * @param options.revokeApiKeys revokes all API keys too.
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
      // Before the code is used up, and also for nobody: it is what takes the time.
      this.passwords.hash(newPassword),
    ]);
    if (!login) throw new CodeInvalid();
    const account = { user: login._id };
    await this.codes.use(account, 'reset-password', email, code);
    const now = this.clock.now();
    // Before, so that whoever can sign in again knows that the keys are revoked; and after, for a key that one of the
    // sessions made meanwhile.
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    // The address was changed, or the account removed, at the same moment.
    if (!(await this.accounts.resetPassword(account, email, passwordHash, now))) throw new CodeInvalid();
    if (revokeApiKeys) await this.keys.revokeAll(account, now);
    await this.accessChanges.announce(account);
    await this.attempts.forgive(attempt);
  }

  private async mail({ _id: user, name, email }: Login): Promise<void> {
    const code = await this.codes.issue({ user }, 'reset-password', email);
    this.mailer.post(passwordResetMail({ id: user.toHexString(), name, email }, code));
  }
}
