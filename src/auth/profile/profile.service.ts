import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Unauthorized } from '../../common/errors';
import { AccountScope } from '../account-scope';
import { AccountsRepository, type Profile } from '../accounts/accounts.repository';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { EmailTaken } from '../auth.errors';
import { EmailVerificationService } from '../one-time-codes/email-verification.service';
import { PasswordConfirmation } from '../passwords/password-confirmation.service';

/** An absent field stays as it is. */
export interface ProfileChange {
  readonly name?: string;
  /** ISO 3166-1 alpha-2; empty to remove it. */
  readonly defaultCountry?: string;
  /** Lower case. */
  readonly email?: string;
  /** The current password; required to change the address. */
  readonly password?: string;
}

@Injectable()
export class ProfileService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly attempts: AuthAttemptLimiter,
    private readonly passwords: PasswordConfirmation,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<Profile> {
    const profile = await this.accounts.findProfile(account);
    if (!profile) throw new Unauthorized();
    return profile;
  }

  /**
   * Changes name and default country immediately, and the e-mail address once it is confirmed.
   * @returns the new address as `pendingEmail` until then.
   * @throws WrongPassword, EmailTaken, TooManyAttempts; then nothing is changed.
   */
  async update(
    account: AccountScope,
    change: ProfileChange,
    address: string,
  ): Promise<{ readonly profile: Profile; readonly pendingEmail?: string }> {
    const { name, defaultCountry, email, password = '' } = change;
    const pendingEmail =
      email === undefined ? undefined : await this.requestEmailChange(account, email, password, address);
    if (name !== undefined) await this.accounts.rename(account, name, this.clock.now());
    if (defaultCountry !== undefined)
      await this.accounts.setDefaultCountry(account, defaultCountry, this.clock.now());
    return { profile: await this.get(account), pendingEmail };
  }

  /** @returns the address to confirm; undefined if it is the current one. */
  private async requestEmailChange(
    account: AccountScope,
    email: string,
    password: string,
    address: string,
  ): Promise<string | undefined> {
    const credentials = await this.accounts.findOwnCredentials(account);
    if (!credentials) throw new Unauthorized();
    if (credentials.email === email) return undefined;
    await this.passwords.confirm(account, password, address, 'password');
    await this.attempts.count({ kind: 'mail', account: account.user.toHexString(), address });
    if (await this.accounts.findCredentials(email)) throw new EmailTaken();
    await this.verification.requestChange(credentials, email);
    return email;
  }
}
