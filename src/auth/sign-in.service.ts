import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import { Unauthorized } from '../common/errors';
import { AuthConfig } from '../config/auth.config';
import type { AuthenticatedAccount } from './account-scope';
import { AccountsRepository, type Login, type Profile } from './accounts.repository';
import { type Attempt, AttemptsService } from './attempts.service';
import { EmailTaken, RegistrationClosed, WrongPassword } from './auth.errors';
import { EmailVerificationService } from './email-verification.service';
import { isKnownAddress, isWorthNoting } from './known-address';
import { assertUncommonPassword } from './password-policy';
import { Passwords } from './passwords';
import type { Client, SignInMethod } from './sessions/session.schema';
import { type OpenedSession, SessionsService } from './sessions/sessions.service';

const VERIFICATION_DEADLINE_MS = 24 * 3_600_000;

/** A person who has just signed in. */
export interface SignedIn {
  readonly session: OpenedSession;
  readonly profile: Profile;
}

/** What an account is made of. */
export interface Registration {
  readonly name: string;
  /** Lower case. */
  readonly email: string;
  readonly password: string;
}

/** Registration, signing in with a password, and changing it. */
@Injectable()
export class SignInService {
  constructor(
    private readonly config: AuthConfig,
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly passwords: Passwords,
    private readonly sessions: SessionsService,
    private readonly attempts: AttemptsService,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes an account and mails it a code. It is removed after a day unless its address is verified.
   * @throws RegistrationClosed, EmailTaken, TooManyAttempts
   */
  async register({ name, email, password }: Registration, client: Client): Promise<SignedIn> {
    if (!this.config.allowRegistration) throw new RegistrationClosed();
    assertUncommonPassword('password', password, email);
    await this.attempts.count({ kind: 'registration', account: email, address: client.address });
    const passwordHash = await this.passwords.hash(password);
    const now = this.clock.now();
    const profile = { _id: new Types.ObjectId(), name, email, createdAt: now };
    const unverifiedUntil = new Date(now.getTime() + VERIFICATION_DEADLINE_MS);
    const account = { ...profile, passwordHash, unverifiedUntil, updatedAt: now };
    if (!(await this.accounts.create(account))) throw new EmailTaken();
    await this.verification.begin({ user: profile._id }, profile);
    return this.open(profile, 'registration', client);
  }

  /** @throws Unauthorized, TooManyAttempts */
  async signIn(email: string, password: string, client: Client): Promise<SignedIn> {
    const login = await this.accounts.findLogin(email);
    const attempt = this.attemptOf(email, login, client);
    await this.attempts.count(attempt);
    const isRight = await this.passwords.isRight(password, login?.passwordHash);
    if (!login || !isRight) throw new Unauthorized();
    await this.attempts.forgive(attempt);
    const now = this.clock.now();
    if (isWorthNoting(login, client.address, now))
      await this.accounts.rememberAddress({ user: login._id }, client.address, now);
    return this.open(login, 'password', client);
  }

  /**
   * Sets another password: all sessions end, the answer brings a new one.
   * @param oldPassword undefined to set the first password, in a session that a sign-in link opened.
   * @throws WrongPassword, TooManyAttempts
   */
  async changePassword(
    account: AuthenticatedAccount,
    oldPassword: string | undefined,
    newPassword: string,
    client: Client,
  ): Promise<SignedIn> {
    const login = await this.accounts.findOwnLogin(account);
    if (!login) throw new Unauthorized();
    const attempt = this.attemptOf(login.email, login, client);
    await this.attempts.count(attempt);
    if (!(await this.mayReplacePassword(account, oldPassword, login.passwordHash))) throw new WrongPassword();
    assertUncommonPassword('newPassword', newPassword, login.email);
    const passwordHash = await this.passwords.hash(newPassword);
    const tokenGeneration = await this.accounts.setPassword(
      account,
      passwordHash,
      login.passwordHash ?? null,
      this.clock.now(),
    );
    // Another password was set meanwhile: the old one is no longer right.
    if (tokenGeneration === null) throw new WrongPassword();
    await this.accessChanges.announce(account);
    await this.attempts.forgive(attempt);
    return this.open({ ...login, tokenGeneration }, 'password', client);
  }

  private attemptOf(email: string, login: Login | null, { address }: Client): Attempt {
    const isKnown = isKnownAddress(login, address, this.clock.now());
    return { kind: isKnown ? 'login-from-known-address' : 'login', account: email, address };
  }

  private async mayReplacePassword(
    account: AuthenticatedAccount,
    oldPassword: string | undefined,
    passwordHash: string | undefined,
  ): Promise<boolean> {
    if (oldPassword !== undefined) return this.passwords.isRight(oldPassword, passwordHash);
    if (passwordHash !== undefined) return false;
    return (await this.sessions.get(account, account.credential.id)).method === 'sign-in-link';
  }

  private async open(
    login: Profile & Pick<Login, 'tokenGeneration'>,
    method: SignInMethod,
    client: Client,
  ): Promise<SignedIn> {
    const session = await this.sessions.open({ user: login._id }, method, login.tokenGeneration ?? 0, client);
    return { session, profile: login };
  }
}
