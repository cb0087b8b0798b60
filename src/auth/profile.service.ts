import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { AccountScope } from './account-scope';
import { AccountsRepository, type Profile } from './accounts.repository';
import { AttemptsService } from './attempts.service';
import { EmailTaken, WrongPassword } from './auth.errors';
import { EmailVerificationService } from './email-verification.service';
import { Passwords } from './passwords';

/** What may be changed of an account; absent stays. */
export interface ProfileChange {
  readonly name?: string;
  /** Lower case. */
  readonly email?: string;
  /** Required for another address. */
  readonly password?: string;
}

export interface UpdatedProfile extends Profile {
  /** The address that waits for its confirmation. */
  readonly pendingEmail?: string;
}

/** What an account says of its owner. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly attempts: AttemptsService,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<Profile> {
    const profile = await this.accounts.findProfile(account);
    if (!profile) throw new Unauthorized();
    return profile;
  }

  /**
   * Changes the name. A new address takes effect when it is confirmed; until then the old one stands.
   * @throws WrongPassword, EmailTaken (nothing is changed then), TooManyAttempts
   */
  async update(account: AccountScope, change: ProfileChange, address: string): Promise<UpdatedProfile> {
    const { name, email, password = '' } = change;
    const pendingEmail =
      email === undefined ? undefined : await this.requestEmail(account, email, password, address);
    if (name !== undefined) await this.accounts.rename(account, name, this.clock.now());
    return { ...(await this.get(account)), pendingEmail };
  }

  /** @returns the address that waits for its confirmation; undefined for the account's own. */
  private async requestEmail(
    account: AccountScope,
    email: string,
    password: string,
    address: string,
  ): Promise<string | undefined> {
    const login = await this.accounts.findOwnLogin(account);
    if (!login) throw new Unauthorized();
    if (login.email === email) return undefined;
    const attempt = { kind: 'login', account: login.email, address } as const;
    await this.attempts.count(attempt);
    if (!(await this.passwords.isRight(password, login.passwordHash))) throw new WrongPassword('password');
    await this.attempts.forgive(attempt);
    await this.attempts.count({ kind: 'mail', account: account.user.toHexString(), address });
    if (await this.accounts.findLogin(email)) throw new EmailTaken();
    await this.verification.beginChange(account, login, email);
    return email;
  }
}
