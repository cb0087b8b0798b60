import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/durations';
import { NumberKeys } from '../numbers/number-keys.service';
import type { ConsentRecord } from '../records/consent-record.schema';
import { ConsentRecordsRepository } from '../records/consent-records.repository';
import type { ConsentSettings } from '../settings/consent-settings';
import type { KeywordMeaning } from '../words/languages/word-list';
import { AutoRepliesRepository } from './auto-replies.repository';
import { changesState, isAnswerable, REPLY_INTERVAL_MS } from './auto-reply-rules';
import { type AutoReply, kindOf } from './auto-reply.schema';
import { autoReplyText, replyLanguage } from './auto-reply-texts';

/** The process that requests a reply sends it at once; another one does after this time. */
export const RELAY_LEASE_MS = 15 * SECOND_MS;

/** Decisions about a number that are read to find out whether the last one changes something. */
const MAX_DECISIONS = 20;

/** An incoming text that is a keyword. */
export interface Keyword {
  readonly meaning: KeywordMeaning;
  readonly text: string;
  /** The sender in comparable form, see `peerNumber` in `src/common`. */
  readonly number: string;
  readonly receivedAt: Date;
  readonly device: Types.ObjectId;
  readonly simSubscriptionId?: number;
}

/** Decides which keywords are answered. What is requested here is sent by `AutoReplySender`. */
@Injectable()
export class AutoReplyRequests {
  constructor(
    private readonly replies: AutoRepliesRepository,
    private readonly records: ConsentRecordsRepository,
    private readonly keys: NumberKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the reply to a keyword, if it gets one: its owner has said who writes, it changes something or asks for help, and the number
   * got none of this kind in the last 24 hours. Repeatable: a repeated upload gets no second one.
   * @param record of the decision; absent for HELP.
   */
  async request(
    account: AccountScope,
    settings: ConsentSettings,
    keyword: Keyword,
    record?: ConsentRecord,
  ): Promise<AutoReply | undefined> {
    const { meaning, text, number, receivedAt, device, simSubscriptionId } = keyword;
    const { senderName, contact, confirmation } = settings;
    const now = this.clock.now();
    const since = new Date(now.getTime() - REPLY_INTERVAL_MS);
    if (!senderName || !contact || !isAnswerable(number) || receivedAt <= since) return undefined;
    if (meaning !== 'help' && !confirmation) return undefined;
    const numberKey = await this.keys.keyOf(account, number);
    if (record && !(await this.isNews(account, record))) return undefined;
    const language = replyLanguage(text, meaning, number, settings);
    return this.replies.request(
      account,
      {
        ...{ numberKey, number, device, kind: kindOf(meaning) },
        text: autoReplyText(meaning, language, { senderName, contact }),
        ...(simSubscriptionId !== undefined && { simSubscriptionId }),
        requestedAt: now,
        relayDueAt: new Date(now.getTime() + RELAY_LEASE_MS),
      },
      since,
    );
  }

  private async isNews(account: AccountScope, record: ConsentRecord): Promise<boolean> {
    const latest = await this.records.list(account, [record.numberKey], undefined, MAX_DECISIONS);
    return changesState(record, latest);
  }
}
