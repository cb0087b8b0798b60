import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { Mailer } from '../mail/mailer';
import { changeCodeMail, changeRequestedMail, emailChangedMail, verificationMail } from './account-mails';
import type { AccountScope, AuthenticatedAccount } from './account-scope';
import { AccountsRepository, type Profile } from './accounts.repository';
import { AttemptsService } from './attempts.service';
import { CodeInvalid, EmailAlreadyVerified, EmailTaken } from './auth.errors';
import { OneTimeCodesService } from './one-time-codes.service';
import { SessionRequiredError } from './sessions/session.errors';
import { SessionsService } from './sessions/sessions.service';
import { failureLine } from '../common/failure-line';

/** Proves that an e-mail address is the owner's: the first one, or one that is to replace it. */
@Injectable()
export class EmailVerificationService {
  private readonly logger = new Logger(EmailVerificationService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly sessions: SessionsService,
    private readonly attempts: AttemptsService,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails a code on demand.
   * @throws EmailAlreadyVerified, TooManyAttempts
   */
  async request(account: AccountScope, address: string): Promise<void> {
    const profile = await this.accounts.findProfile(account);
    if (!profile) throw new Unauthorized();
    if (profile.emailVerifiedAt) throw new EmailAlreadyVerified();
    await this.attempts.count({ kind: 'mail', account: profile.email, address });
    await this.mail(account, profile);
  }

  /** Mails the code of a new address; should that fail, its owner can ask for another. */
  async begin(account: AccountScope, addressee: { name: string; email: string }): Promise<void> {
    await this.mail(account, addressee).catch((failure: unknown) => {
      this.logger.error(`No verification code was made: ${failureLine(failure)}`);
    });
  }

  /**
   * Verifies the address that a code was mailed to. A code of another address than the account's changes the address.
   *
   * Whoever reads the mail owns the address, but somebody else may have registered it. So a first verification keeps the
   * password only in a session for which the password was given; otherwise the owner sets one by a reset.
   * @param session the account of the session that the request came with.
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
    const account = { user };
    const [profile, email] = await Promise.all([
      this.accounts.findProfile(account),
      this.codes.addressOf(account, 'verify-email'),
    ]);
    if (!profile || email === null) throw new CodeInvalid();
    const own = session?.user.equals(user) ? session : null;
    if (email === profile.email) {
      const keepsPassword = (await this.accounts.wasVerified(account)) || (await this.knowsPassword(own));
      await this.codes.use(account, 'verify-email', email, code);
      await this.confirm(account, email, keepsPassword);
    } else {
      // The reader of this mail may be a stranger: the account belongs to the person who asked for the change.
      if (!own) throw new SessionRequiredError();
      await this.codes.use(account, 'verify-email', email, code);
      await this.change(account, profile, email);
    }
    await this.attempts.forgive(attempt);
  }

  /** Mails a code to an address that is to become the account's, and tells the present one. */
  async beginChange(account: AccountScope, profile: Profile, email: string): Promise<void> {
    const id = account.user.toHexString();
    const code = await this.codes.issue(account, 'verify-email', email);
    this.mailer.post(changeCodeMail({ id, name: profile.name, email }, code));
    this.mailer.post(changeRequestedMail({ ...profile, id }, email));
  }

  private async knowsPassword(session: AuthenticatedAccount | null): Promise<boolean> {
    if (!session) return false;
    const { method } = await this.sessions.get(session, session.credential.id);
    return method !== 'sign-in-link';
  }

  private async confirm(account: AccountScope, email: string, keepsPassword: boolean): Promise<void> {
    const now = this.clock.now();
    const isConfirmed = keepsPassword
      ? await this.accounts.markVerified(account, email, now)
      : await this.accounts.markVerifiedWithoutPassword(account, email, now);
    // The address was changed, or the account removed, at the same moment.
    if (!isConfirmed) throw new CodeInvalid();
  }

  private async change(account: AccountScope, former: Profile, email: string): Promise<void> {
    const outcome = await this.accounts.changeEmail(account, former.email, email, this.clock.now());
    if (outcome === 'taken') throw new EmailTaken();
    if (outcome === 'changed meanwhile') throw new CodeInvalid();
    this.mailer.post(emailChangedMail({ ...former, id: account.user.toHexString() }, email));
  }

  private async mail(account: AccountScope, { name, email }: { name: string; email: string }): Promise<void> {
    const code = await this.codes.issue(account, 'verify-email', email);
    this.mailer.post(verificationMail({ id: account.user.toHexString(), name, email }, code));
  }
}
