import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { Clock } from '../common/clock';
import { Mailer } from '../infrastructure/mail/mailer';
import { AccountNoticesRepository } from './account-notices.repository';
import type { LastMail } from './account-notices.schema';
import { settingsOf } from './notice-rules';
import type { NoticeSettings } from './notice-topic';
import { NoticesRepository } from './notices.repository';

/** Whether the account gets mails: not without a mail server, or before its address is verified. */
export const MAIL_STATES = ['on', 'no_mail_server', 'address_unverified'] as const;
export type MailState = (typeof MAIL_STATES)[number];

export interface NoticesView {
  readonly settings: NoticeSettings;
  readonly mailState: MailState;
  readonly lastMail?: LastMail;
}

@Injectable()
export class NoticeSettingsService {
  constructor(
    private readonly accountNotices: AccountNoticesRepository,
    private readonly notices: NoticesRepository,
    private readonly accounts: AccountsRepository,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<NoticesView> {
    const [stored, profile] = await Promise.all([
      this.accountNotices.find(account),
      this.accounts.findProfile(account),
    ]);
    const mailState = this.mailer.hasServer
      ? profile?.emailVerifiedAt
        ? 'on'
        : 'address_unverified'
      : 'no_mail_server';
    return { settings: settingsOf(stored ?? {}), mailState, lastMail: stored?.lastMail };
  }

  /** Replaces the settings. They apply to what is not mailed yet, too. */
  async set(account: AccountScope, settings: NoticeSettings): Promise<NoticesView> {
    await this.accountNotices.setSettings(account, settings);
    await this.notices.reconsider(account, this.clock.now());
    return this.get(account);
  }
}
