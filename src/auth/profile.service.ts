import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { Mailer } from '../mail/mailer';
import { emailChangedMail } from './account-mails';
import { AccountScope } from './account-scope';
import { AccountsRepository, type Profile } from './accounts.repository';
import { AttemptsService } from './attempts.service';
import { EmailTaken } from './auth.errors';
import { EmailVerificationService } from './email-verification.service';

/** What may be changed of an account; absent stays. */
export interface ProfileChange {
  readonly name?: string;
  /** Lower case. */
  readonly email?: string;
}

/** What an account says of its owner. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly verification: EmailVerificationService,
    private readonly attempts: AttemptsService,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<Profile> {
    const profile = await this.accounts.findProfile(account);
    if (!profile) throw new Unauthorized();
    return profile;
  }

  /**
   * A changed address must be verified again; the former one is told.
   * @throws EmailTaken (nothing is changed then), TooManyAttempts
   */
  async update(account: AccountScope, { name, email }: ProfileChange, address: string): Promise<Profile> {
    if (email !== undefined) await this.changeEmail(account, name, email, address);
    if (name !== undefined) await this.accounts.rename(account, name, this.clock.now());
    return this.get(account);
  }

  private async changeEmail(
    account: AccountScope,
    name: string | undefined,
    email: string,
    address: string,
  ): Promise<void> {
    const former = await this.get(account);
    if (former.email === email) return;
    await this.attempts.count({ kind: 'mail', account: account.user.toHexString(), address });
    if (!(await this.accounts.changeEmail(account, email, this.clock.now()))) throw new EmailTaken();
    this.mailer.post(emailChangedMail({ ...former, id: account.user.toHexString() }, email));
    await this.verification.begin(account, { name: name ?? former.name, email });
  }
}
