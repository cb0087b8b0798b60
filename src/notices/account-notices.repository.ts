import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { atOrBefore } from '../infrastructure/mongo/at-or-before';
import { ifDuplicate, upsertWithRetry } from '../infrastructure/mongo/duplicate-key';
import { AccountNotices, type LastMail, type MailCount, type OutgoingMail } from './account-notices.schema';
import type { NoticeSettings } from './notice-topic';

/** A mail whose next attempt this process makes. */
type ClaimedMail = Required<Pick<AccountNotices, 'user' | 'outgoing'>>;

@Injectable()
export class AccountNoticesRepository {
  constructor(@InjectModel(AccountNotices.name) private readonly accounts: Model<AccountNotices>) {}

  find({ user }: AccountScope): Promise<AccountNotices | null> {
    return this.accounts.findById(user).lean<AccountNotices>();
  }

  async setSettings({ user }: AccountScope, settings: NoticeSettings): Promise<void> {
    await upsertWithRetry(() =>
      this.accounts.updateOne({ _id: user }, { $set: { user, settings } }, { upsert: true }),
    );
  }

  /**
   * Stores the mail of an account and claims its first attempt until `claimedUntil`.
   * @param composed what is stored with the mail, and what was read before the mail was composed.
   * @returns false if another process has stored a mail since that was read, whether or not it is sent.
   */
  store(
    { user }: AccountScope,
    outgoing: OutgoingMail,
    composed: { readonly read: MailCount | undefined; readonly next: MailCount },
    claimedUntil: Date,
  ): Promise<boolean> {
    return ifDuplicate(false, async () => {
      await this.accounts.updateOne(
        { _id: user, outgoing: { $exists: false }, composed: composed.read ?? { $exists: false } },
        { $set: { user, outgoing, composed: composed.next, attemptDueAt: claimedUntil } },
        { upsert: true },
      );
      return true;
    });
  }

  /** Claims mails that are due, until `until`: then they are due again. Of several processes, each gets others. */
  async claimDue(now: Date, until: Date, limit: number): Promise<ClaimedMail[]> {
    const due = await this.accounts
      .find({ attemptDueAt: atOrBefore(now) }, { user: 1, outgoing: 1, attemptDueAt: 1 })
      .sort({ attemptDueAt: 1 })
      .limit(limit)
      .lean<(ClaimedMail & { readonly attemptDueAt: Date })[]>();
    const claimed: ClaimedMail[] = [];
    for (const { user, outgoing, attemptDueAt } of due) {
      const result = await this.accounts.updateOne(
        { _id: user, attemptDueAt, 'outgoing.id': outgoing.id },
        { $set: { attemptDueAt: until } },
      );
      if (result.matchedCount === 1) claimed.push({ user, outgoing });
    }
    return claimed;
  }

  /** Records that the notices have what the mail tells. */
  async setNoted({ user }: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.accounts.updateOne({ _id: user, 'outgoing.id': id }, { $unset: { 'outgoing.told': 1 } });
  }

  async retry({ user }: AccountScope, id: Types.ObjectId, attempts: number, at: Date): Promise<void> {
    await this.accounts.updateOne(
      { _id: user, 'outgoing.id': id },
      { $set: { 'outgoing.attempts': attempts, attemptDueAt: at } },
    );
  }

  /** Removes the mail. @param lastMail how it ended; absent if it was withdrawn. */
  async end({ user }: AccountScope, id: Types.ObjectId, lastMail?: LastMail): Promise<void> {
    await this.accounts.updateOne(
      { _id: user, 'outgoing.id': id },
      { $unset: { outgoing: 1, attemptDueAt: 1 }, ...(lastMail && { $set: { lastMail } }) },
    );
  }
}
