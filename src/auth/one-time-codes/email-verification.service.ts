import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { Unauthorized } from '../../common/errors';
import { Mailer } from '../../infrastructure/mail/mailer';
import {
  emailChangeCodeEmail,
  emailChangeRequestedEmail,
  emailChangedEmail,
  verificationEmail,
} from './account-emails';
import { accountScope, type AccountScope, type AuthenticatedAccount } from '../account-scope';
import { AccountsRepository, type Profile } from '../accounts/accounts.repository';
import { AuthAttemptLimiter } from '../limits/auth-attempt-limiter.service';
import { CodeInvalid, EmailAlreadyVerified, EmailTaken, SessionRequiredError } from '../auth.errors';
import { OneTimeCodesService, type Recipient } from './one-time-codes.service';
import { SessionsService } from '../sessions/sessions.service';
import { formatError } from '../../common/format-error';

/** Verifies the e-mail address of an account, or a new one that replaces it. */
@Injectable()
export class EmailVerificationService {
  private readonly logger = new Logger(EmailVerificationService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly sessions: SessionsService,
    private readonly attempts: AuthAttemptLimiter,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails a code for the current address.
   * @throws EmailAlreadyVerified, TooManyAttempts
   */
  async request(account: AccountScope, address: string): Promise<void> {
    const profile = await this.accounts.findProfile(account);
    if (!profile) throw new Unauthorized();
    if (profile.emailVerifiedAt) throw new EmailAlreadyVerified();
    // Counted by id, not by address: only the account itself can use up this limit.
    await this.attempts.count({ kind: 'mail', account: account.user.toHexString(), address });
    await this.codes.mail('verify-email', profile, verificationEmail);
  }

  /** Mails the code of a new account. A failure is logged; the owner can request another code. */
  async sendFirstCode(owner: Recipient): Promise<void> {
    await this.codes.mail('verify-email', owner, verificationEmail).catch((failure: unknown) => {
      this.logger.error(
        `Could not create a verification code for account ${String(owner._id)}; the owner can request another: ${formatError(failure)}`,
      );
    });
  }

  /**
   * Verifies the address that a code was mailed to. If it is a new address, it becomes the account's.
   *
   * Somebody else may have registered the address. So the first verification keeps the password only in a session that
   * was opened with it; otherwise the owner sets one with a password reset.
   * @throws CodeInvalid, SessionRequiredError, EmailTaken, TooManyAttempts
   */
  async verify(
    user: Types.ObjectId,
    code: string,
    address: string,
    session: AuthenticatedAccount | null,
  ): Promise<void> {
    const attempt = { kind: 'email-verification', account: user.toHexString(), address } as const;
    await this.attempts.count(attempt);
    const account = accountScope(user);
    const [profile, email] = await Promise.all([
      this.accounts.findProfile(account),
      this.codes.verifyCode(account, 'verify-email', code),
    ]);
    if (!profile) throw new CodeInvalid();
    const own = session?.user.equals(user) ? session : null;
    if (email === profile.email) {
      const keepsPassword = (await this.accounts.wasVerified(account)) || (await this.isPasswordSession(own));
      await this.codes.consume(account, 'verify-email', email, code);
      await this.confirm(account, email, keepsPassword);
    } else {
      // The new address may belong to somebody else, so only a session of the account may confirm it.
      if (!own) throw new SessionRequiredError();
      await this.codes.consume(account, 'verify-email', email, code);
      await this.change(account, profile, email);
    }
    await this.attempts.refund(attempt);
  }

  /** Mails a code to the new address and a notice to the current one. */
  async requestChange(profile: Profile, email: string): Promise<void> {
    await this.codes.mail('verify-email', { ...profile, email }, emailChangeCodeEmail);
    this.mailer.send(emailChangeRequestedEmail(profile, email));
  }

  private async isPasswordSession(session: AuthenticatedAccount | null): Promise<boolean> {
    if (!session) return false;
    const { method } = await this.sessions.get(session, session.credential.id);
    return method !== 'sign-in-link';
  }

  private async confirm(account: AccountScope, email: string, keepsPassword: boolean): Promise<void> {
    const now = this.clock.now();
    const isConfirmed = keepsPassword
      ? await this.accounts.markVerified(account, email, now)
      : await this.accounts.markVerifiedWithoutPassword(account, email, now);
    if (!isConfirmed) throw new CodeInvalid();
  }

  private async change(account: AccountScope, former: Profile, email: string): Promise<void> {
    const outcome = await this.accounts.changeEmail(account, former.email, email, this.clock.now());
    if (outcome === 'taken') throw new EmailTaken();
    if (outcome === 'conflict') throw new CodeInvalid();
    this.mailer.send(emailChangedEmail(former, email));
  }
}
