import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { Mailer } from '../mail/mailer';
import { verificationMail } from './account-mails';
import { AccountScope } from './account-scope';
import { AccountsRepository } from './accounts.repository';
import { AttemptsService } from './attempts.service';
import { CodeInvalid, EmailAlreadyVerified } from './auth.errors';
import { OneTimeCodesService } from './one-time-codes.service';
import { failureLine } from '../common/failure-line';

/** Proves that an account's e-mail address is its owner's: until then it sends nothing. */
@Injectable()
export class EmailVerificationService {
  private readonly logger = new Logger(EmailVerificationService.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly codes: OneTimeCodesService,
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

  /** @throws CodeInvalid, TooManyAttempts */
  async verify(user: Types.ObjectId, code: string, address: string): Promise<void> {
    const attempt = { kind: 'email-verification', account: user.toHexString(), address } as const;
    await this.attempts.count(attempt);
    const profile = await this.accounts.findProfile({ user });
    if (!profile) throw new CodeInvalid();
    await this.codes.use({ user }, 'verify-email', profile.email, code);
    // The address may have changed in between.
    if (!(await this.accounts.markVerified({ user }, profile.email, this.clock.now())))
      throw new CodeInvalid();
    await this.attempts.forgive(attempt);
  }

  private async mail(account: AccountScope, { name, email }: { name: string; email: string }): Promise<void> {
    const code = await this.codes.issue(account, 'verify-email', email);
    this.mailer.post(verificationMail({ id: account.user.toHexString(), name, email }, code));
  }
}
