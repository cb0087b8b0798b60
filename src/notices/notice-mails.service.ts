import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../auth/account-scope';
import { AccountsRepository, type AccountSummary } from '../auth/accounts/accounts.repository';
import { Clock } from '../common/clock';
import { MINUTE_MS } from '../common/durations';
import { formatError } from '../common/format-error';
import { HttpConfig } from '../config/sections/http.config';
import { DevicesRepository } from '../devices/store/devices.repository';
import { Mailer } from '../infrastructure/mail/mailer';
import type { AccountNotices, OutgoingMail, ToldState } from './account-notices.schema';
import { AccountNoticesRepository } from './account-notices.repository';
import { noticeMail } from './notice-mail';
import { dayOf, GIVE_UP_AFTER_MS, mailsOn, MAX_MAILS_PER_DAY } from './notice-rules';
import { nextMailAt, retryDelayMs, settingsOf, tellAt } from './notice-rules';
import type { Notice } from './notice.schema';
import { NoticesRepository } from './notices.repository';

/** What becomes due within this time is in one mail. */
const COLLECT_MS = MINUTE_MS;

/** An attempt that does not end within this time is repeated. The mail server has five seconds for each of its steps. */
const ATTEMPT_MS = 2 * MINUTE_MS;

const MAX_NOTICES_READ = 500;
const MAX_NOTICES_PER_MAIL = 2_000;
const CONCURRENCY = 10;
const MAX_MAILS_PER_RUN = 200;

/**
 * Mails owners what has happened, one mail at a time for each account. A mail is stored before it is sent, so that it is sent
 * again, with the same Message-ID, if the process dies meanwhile. Safe to run in several processes.
 */
@Injectable()
export class NoticeMails {
  private readonly logger = new Logger(NoticeMails.name);

  constructor(
    private readonly notices: NoticesRepository,
    private readonly accountNotices: AccountNoticesRepository,
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly mailer: Mailer,
    private readonly http: HttpConfig,
    private readonly clock: Clock,
  ) {}

  /** Composes the mails that are due, and sends them and those that are due again. */
  async sendDue(): Promise<void> {
    const collectedUntil = new Date(this.clock.now().getTime() - COLLECT_MS);
    const users = await this.notices.listDueAccounts(collectedUntil, MAX_NOTICES_READ);
    await inParallel(users.map(accountScope), (account) => this.compose(account));
    const now = this.clock.now();
    const due = await this.accountNotices.claimDue(now, after(now, ATTEMPT_MS), MAX_MAILS_PER_RUN);
    await inParallel(due, ({ user, outgoing }) => this.attempt(accountScope(user), outgoing));
  }

  private async compose(account: AccountScope): Promise<void> {
    const now = this.clock.now();
    const stored: Partial<AccountNotices> = (await this.accountNotices.find(account)) ?? {};
    const mailAt = nextMailAt(stored, now);
    if (mailAt > now) {
      await this.notices.postpone(account, now, mailAt);
      return;
    }
    const settings = settingsOf(stored);
    const due = await this.notices.listDue(account, now, MAX_NOTICES_PER_MAIL);
    const isReady = (notice: Notice) => tellAt(notice, settings) <= now;
    await this.notices.postponeEach(
      due
        .filter((notice) => !isReady(notice))
        .map((notice) => ({ _id: notice._id, at: notice.at, until: tellAt(notice, settings) })),
    );
    const ready = due.filter(isReady);
    const owner = await this.mailableOwner(account);
    const isTold = await this.tellable(ready);
    const wanted =
      owner && settings.mail ? ready.filter((notice) => settings[notice.topic] && isTold(notice)) : [];
    const silent = ready.filter((notice) => !wanted.includes(notice));
    await this.notices.markTold(silent.map(toldState));
    if (!owner || wanted.length === 0) return;
    const count = mailsOn(stored.composed, now) + 1;
    const outgoing: OutgoingMail = {
      id: new Types.ObjectId(),
      ...noticeMail(owner.name, wanted, {
        dashboard: this.http.publicUrl && `${this.http.publicUrl}${this.http.basePath}/dashboard/account`,
        isLastOfDay: count >= MAX_MAILS_PER_DAY,
      }),
      composedAt: now,
      attempts: 0,
      told: wanted.map(toldState),
    };
    const composed = { read: stored.composed, next: { day: dayOf(now), count } };
    if (await this.accountNotices.store(account, outgoing, composed, after(now, ATTEMPT_MS)))
      await this.attempt(account, outgoing);
  }

  /** Notes what the mail tells, then sends it. */
  private async attempt(account: AccountScope, outgoing: OutgoingMail): Promise<void> {
    const { id, subject, text, told = [] } = outgoing;
    await this.notices.markTold(told);
    await this.accountNotices.setNoted(account, id);
    const owner = await this.mailableOwner(account);
    if (!owner) {
      await this.accountNotices.end(account, id);
      return;
    }
    try {
      await this.mailer.deliver({ to: owner.email, subject, text, id: id.toHexString() });
    } catch (failure) {
      await this.recordFailure(account, outgoing, failure);
      return;
    }
    await this.accountNotices.end(account, id, { at: this.clock.now(), result: 'sent' });
  }

  private async recordFailure(
    account: AccountScope,
    { id, subject, composedAt, attempts }: OutgoingMail,
    failure: unknown,
  ): Promise<void> {
    const now = this.clock.now();
    const mail = `The mail "${subject}" to account ${account.user.toHexString()}`;
    if (now.getTime() - composedAt.getTime() >= GIVE_UP_AFTER_MS) {
      await this.accountNotices.end(account, id, { at: now, result: 'failed' });
      this.logger.error(`${mail} was given up after a day, check SMTP_URL: ${formatError(failure)}`);
      return;
    }
    const retryAt = after(now, retryDelayMs(attempts + 1));
    await this.accountNotices.retry(account, id, attempts + 1, retryAt);
    this.logger.warn(
      `${mail} was not sent and is retried at ${retryAt.toISOString()}: ${formatError(failure)}`,
    );
  }

  /** @returns null if the account gets no mail: its address is not verified, it is disabled, or there is no mail server. */
  private async mailableOwner(account: AccountScope): Promise<AccountSummary | null> {
    if (!this.mailer.hasServer) return null;
    const owner = await this.accounts.findSummary(account);
    return owner?.emailVerifiedAt && !owner.disabledAt ? owner : null;
  }

  /** Nothing is told of phones that are disabled or deleted meanwhile. */
  private async tellable(notices: readonly Notice[]): Promise<(notice: Pick<Notice, 'device'>) => boolean> {
    const ids = notices.flatMap(({ device }) => device ?? []);
    const states = ids.length > 0 ? await this.devices.findStates(ids) : new Map<string, never>();
    return ({ device }) => {
      if (!device) return true;
      const state = states.get(device.toHexString());
      return state !== undefined && state.enabled && !state.deletedAt;
    };
  }
}

const toldState = ({ _id: notice, state, at }: Notice): ToldState => ({ notice, state, at });

const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, left.length) }, worker));
}
