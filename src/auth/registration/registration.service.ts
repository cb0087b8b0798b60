import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { AuthConfig } from '../../config/sections/auth.config';
import { EmailTaken, RegistrationClosed } from '../auth.errors';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { EmailVerificationService } from '../one-time-codes/email-verification.service';
import { PasswordHasher } from '../passwords/password-hasher.service';
import { assertUncommonPassword } from '../passwords/password-policy';
import { CONSENT_OF_NEW_ACCOUNTS } from '../accounts/consent-settings';
import { AccountsRepository, type Profile } from '../accounts/accounts.repository';

const VERIFICATION_DEADLINE_MS = DAY_MS;

export interface NewAccount {
  readonly name: string;
  /** Lower case. */
  readonly email: string;
  readonly password: string;
}

@Injectable()
export class RegistrationService {
  constructor(
    private readonly config: AuthConfig,
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly passwords: PasswordHasher,
    private readonly attempts: AuthAttemptLimiter,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an account and mails a verification code. The account is removed after a day unless it is verified.
   * @throws RegistrationClosed, EmailTaken, TooManyAttempts
   */
  async register({ name, email, password }: NewAccount, address: string): Promise<Profile> {
    if (!this.config.allowRegistration) throw new RegistrationClosed();
    assertUncommonPassword('password', password, email);
    await this.attempts.count({ kind: 'registration', account: email, address });
    const passwordHash = await this.passwords.hash(password);
    const now = this.clock.now();
    const profile = { _id: new Types.ObjectId(), name, email, createdAt: now };
    const unverifiedUntil = new Date(now.getTime() + VERIFICATION_DEADLINE_MS);
    const consent = CONSENT_OF_NEW_ACCOUNTS;
    const account = { ...profile, passwordHash, unverifiedUntil, consent, updatedAt: now };
    if (!(await this.accounts.create(account))) throw new EmailTaken();
    await this.verification.sendFirstCode(profile);
    return profile;
  }
}
