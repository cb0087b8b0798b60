import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { AuthConfig } from '../config/auth.config';
import { AccountScope } from './account-scope';
import { AccountsRepository, type Login, type Profile } from './accounts.repository';
import { AttemptsService } from './attempts.service';
import { EmailTaken, RegistrationClosed, WrongPassword } from './auth.errors';
import { DashboardTokens } from './dashboard-tokens';
import { EmailVerificationService } from './email-verification.service';
import { Passwords } from './passwords';

/** Somebody who is logged in. */
export interface Session {
  readonly accessToken: string;
  readonly profile: Profile;
}

/** What an account is made of. */
export interface Registration {
  readonly name: string;
  /** Lower case. */
  readonly email: string;
  readonly password: string;
}

/** Logging in with a password, and what comes before and after it. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly config: AuthConfig,
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly passwords: Passwords,
    private readonly tokens: DashboardTokens,
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes an account, whose address is not verified, and mails it a code.
   * @throws RegistrationClosed, EmailTaken, TooManyAttempts
   */
  async register({ name, email, password }: Registration, address: string): Promise<Session> {
    if (!this.config.allowRegistration) throw new RegistrationClosed();
    await this.attempts.count({ kind: 'registration', account: email, address });
    const passwordHash = await this.passwords.hash(password);
    const now = this.clock.now();
    const profile = { _id: new Types.ObjectId(), name, email, createdAt: now };
    if (!(await this.accounts.create({ ...profile, passwordHash, updatedAt: now }))) throw new EmailTaken();
    await this.verification.begin({ user: profile._id }, profile);
    return this.open(profile);
  }

  /** @throws Unauthorized, TooManyAttempts */
  async logIn(email: string, password: string, address: string): Promise<Session> {
    const attempt = { kind: 'login', account: email, address } as const;
    await this.attempts.count(attempt);
    const login = await this.accounts.findLogin(email);
    const isRight = await this.passwords.isRight(password, login?.passwordHash);
    if (!login || !isRight) throw new Unauthorized();
    await this.attempts.forgive(attempt);
    return this.open(login);
  }

  /**
   * Sets another password: all tokens end, the answer brings a new one.
   * @throws WrongPassword, TooManyAttempts
   */
  async changePassword(
    account: AccountScope,
    oldPassword: string,
    newPassword: string,
    address: string,
  ): Promise<Session> {
    const login = await this.accounts.findOwnLogin(account);
    if (!login) throw new Unauthorized();
    const attempt = { kind: 'login', account: login.email, address } as const;
    await this.attempts.count(attempt);
    if (!(await this.passwords.isRight(oldPassword, login.passwordHash))) throw new WrongPassword();
    const passwordHash = await this.passwords.hash(newPassword);
    const tokenGeneration = await this.accounts.setPassword(
      account,
      passwordHash,
      login.passwordHash,
      this.clock.now(),
    );
    // Somebody else has set one meanwhile, and the old one is no longer it.
    if (tokenGeneration === null) throw new WrongPassword();
    await this.attempts.forgive(attempt);
    return this.open({ ...login, tokenGeneration });
  }

  private open(login: Profile & Pick<Login, 'tokenGeneration'>): Session {
    return { accessToken: this.tokens.issue(login._id, login.tokenGeneration ?? 0), profile: login };
  }
}
