import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { Unauthorized } from '../../common/errors';
import { accountScope, type AccountScope, type AuthenticatedAccount } from '../account-scope';
import { AccountsRepository, type AccountCredentials, type Profile } from '../accounts/accounts.repository';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { WrongPassword } from '../auth.errors';
import { shouldRecordAddress } from '../accounts/known-address';
import { assertUncommonPassword } from '../passwords/password-policy';
import { PasswordHasher } from '../passwords/password-hasher.service';
import type { Client } from '../client';
import type { SignInMethod } from './session.schema';
import { type NewSession, SessionsService } from './sessions.service';

export interface SignedIn {
  readonly session: NewSession;
  readonly profile: Profile;
}

/** Signing in with a password, and changing it. */
@Injectable()
export class SignInService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly passwords: PasswordHasher,
    private readonly sessions: SessionsService,
    private readonly attempts: AuthAttemptLimiter,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws Unauthorized, TooManyAttempts */
  async signIn(email: string, password: string, client: Client): Promise<SignedIn> {
    const login = await this.accounts.findCredentials(email);
    const attempt = this.attempts.attemptFor('login', login, email, client.address);
    await this.attempts.count(attempt);
    const isCorrect = await this.passwords.verify(password, login?.passwordHash);
    if (!login || !isCorrect) throw new Unauthorized();
    await this.attempts.refund(attempt);
    const now = this.clock.now();
    if (shouldRecordAddress(login, client.address, now))
      await this.accounts.recordKnownAddress(accountScope(login._id), client.address, now);
    return this.openSession(login, 'password', client);
  }

  /** Whether the account has a password. */
  async hasPassword(account: AccountScope): Promise<boolean> {
    return (await this.accounts.findOwnCredentials(account))?.passwordHash !== undefined;
  }

  /**
   * Changes the password, ends all sessions and creates a new one.
   * @param oldPassword undefined to set the first password, in a session opened with a sign-in link.
   * @throws WrongPassword, TooManyAttempts
   */
  async changePassword(
    account: AuthenticatedAccount,
    oldPassword: string | undefined,
    newPassword: string,
    client: Client,
  ): Promise<SignedIn> {
    const login = await this.accounts.findOwnCredentials(account);
    if (!login) throw new Unauthorized();
    const attempt = this.attempts.attemptFor('login', login, login.email, client.address);
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
    // A concurrent request has changed the password.
    if (tokenGeneration === null) throw new WrongPassword();
    await this.accessChanges.publish(account);
    await this.attempts.refund(attempt);
    return this.openSession({ ...login, tokenGeneration }, 'password', client);
  }

  /** Opens a session for an account whose credentials were checked. */
  async openSession(
    profile: Profile & Pick<AccountCredentials, 'tokenGeneration'>,
    method: SignInMethod,
    client: Client,
  ): Promise<SignedIn> {
    const { _id, tokenGeneration = 0 } = profile;
    return {
      session: await this.sessions.create(accountScope(_id), method, tokenGeneration, client),
      profile,
    };
  }

  private async mayReplacePassword(
    account: AuthenticatedAccount,
    oldPassword: string | undefined,
    passwordHash: string | undefined,
  ): Promise<boolean> {
    if (oldPassword !== undefined) return this.passwords.verify(oldPassword, passwordHash);
    if (passwordHash !== undefined) return false;
    return (await this.sessions.get(account, account.credential.id)).method === 'sign-in-link';
  }
}
