import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { StoredConsentSettings } from '../../auth/accounts/consent-settings';
import { Clock } from '../../common/clock';
import { byId, distinctIds } from '../../common/documents';
import { formatError } from '../../common/format-error';
import { AutoReplyRequests } from '../../consent/auto-replies/auto-reply-requests.service';
import type { AutoReply } from '../../consent/auto-replies/auto-reply.schema';
import type { ConsentRecord } from '../../consent/records/consent-record.schema';
import { type ConsentSettings, consentSettingsOf } from '../../consent/settings/consent-settings';
import { ConsentDecisions, type Decision } from '../../consent/suppressions/consent-decisions.service';
import { readWords, type TextMeaning } from '../../consent/words/read-words';
import { BatchesRepository } from '../../messages/batches.repository';
import { receivedMessageId } from '../../messages/received-message-id';
import { type CancelRequest, CancellationService } from '../cancellation/cancellation.service';
import { AutoReplySender } from './auto-reply-sender.service';
import { SuppressedMessagesRepository } from './suppressed-messages.repository';
import { SuppressedMessages } from './suppressed-messages.service';

/** An incoming text. */
export interface IncomingText {
  /** The sender in comparable form, see `peerNumber` in `src/common`. */
  readonly number: string;
  readonly text: string;
  readonly receivedAt: Date;
  readonly device: Types.ObjectId;
  readonly simSubscriptionId?: number;
  /** Recognises repeated uploads. */
  readonly fingerprint: string;
  /** Whether it is stored afterwards. */
  readonly isStored: boolean;
}

/** What became of a text; `finish` does what follows. */
export interface ObeyedText {
  /** Its answer. */
  readonly reply?: AutoReply;
  /** What phones are asked not to send. */
  readonly recalled?: readonly CancelRequest[];
}

interface Decided extends Pick<ObeyedText, 'recalled'> {
  readonly record: ConsentRecord;
}

/** Batches to one number that are read to find the topic of the last one, beside automatic replies. */
const MAX_LAST_BATCHES = 5;

const DECISIONS: Readonly<Record<TextMeaning, Decision['state'] | undefined>> = {
  out: 'out',
  unclear: 'held',
  in: 'in',
  help: undefined,
};

/** Obeys what people write: STOP, START and HELP. */
@Injectable()
export class OptOuts {
  private readonly logger = new Logger(OptOuts.name);

  constructor(
    private readonly decisions: ConsentDecisions,
    private readonly suppressed: SuppressedMessages,
    private readonly messages: SuppressedMessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly replies: AutoReplyRequests,
    private readonly sender: AutoReplySender,
    private readonly cancellation: CancellationService,
    private readonly clock: Clock,
  ) {}

  /**
   * Obeys a text before it is stored: stores the record of it and the block, fails what waits for the number, and stores what the text is
   * answered with. Each step may be repeated, by a repeated upload. A text that was received before the last decision about its number changes nothing.
   * @param stored the settings of the account.
   * @throws BatchChanging
   */
  async obey(
    account: AccountScope,
    stored: StoredConsentSettings | undefined,
    incoming: IncomingText,
  ): Promise<ObeyedText> {
    if (!stored?.enabled || !isNumber(incoming.number)) return {};
    const settings = consentSettingsOf(stored);
    const meaning = readWords(incoming.text, settings);
    if (!meaning) return {};
    const state = DECISIONS[meaning];
    const decided = state && (await this.decide(account, settings, incoming, state));
    if (meaning === 'unclear') return { recalled: decided?.recalled };
    const reply = await this.replies.request(account, settings, { ...incoming, meaning }, decided?.record);
    return { recalled: decided?.recalled, reply };
  }

  /** Answers a text, and tells phones what they are asked not to send, after it is stored. Never throws: both are done later otherwise. */
  async finish({ reply, recalled = [] }: ObeyedText): Promise<void> {
    if (reply) await this.sender.send(reply);
    try {
      await this.cancellation.pushRequests(recalled);
    } catch (failure) {
      this.logger.warn(`Phones were not told what not to send, and are told later: ${formatError(failure)}`);
    }
  }

  /** Records a decision, and applies it to the block of the number and to what waits for it. */
  private async decide(
    account: AccountScope,
    settings: ConsentSettings,
    incoming: IncomingText,
    state: Decision['state'],
  ): Promise<Decided> {
    const { number, text: words, device, simSubscriptionId, fingerprint, isStored } = incoming;
    const { stopCovers } = settings;
    const topic =
      stopCovers === 'topic' && state !== 'in' ? await this.lastTopicOf(account, number) : undefined;
    const message = isStored ? receivedMessageId(account.user, device, fingerprint) : undefined;
    const record = await this.decisions.record(account, {
      ...{ number, state, source: 'keyword', words, device },
      at: earlier(incoming.receivedAt, this.clock.now()),
      covers: stopCovers === 'everything' ? 'everything' : 'undeclared',
      ...(topic !== undefined && { topic }),
      ...(message && { message }),
      ...(simSubscriptionId !== undefined && { simSubscriptionId }),
      uploadKey: uploadKeyOf(device, fingerprint),
    });
    if (state === 'in') return { record };
    await this.suppressed.failPending(account, number);
    return { record, recalled: await this.suppressed.recall(account, number) };
  }

  /** The topic of the last send to a number, if it declared one: a person who writes STOP means it. */
  private async lastTopicOf(account: AccountScope, number: string): Promise<string | undefined> {
    const last = await this.messages.listLastBatches(account, number, MAX_LAST_BATCHES);
    const batches = byId(last.length > 0 ? await this.batches.listDeclared(account, distinctIds(last)) : []);
    const declared = last.flatMap((id) => batches.get(id.toHexString()) ?? []);
    return declared.find(({ purpose }) => purpose !== 'consent')?.topic;
  }
}

/** Recognises the record of a text, whenever it is read. */
export const uploadKeyOf = (device: Types.ObjectId, fingerprint: string): string =>
  `${device.toHexString()} ${fingerprint}`;

/** Names of senders cannot be sent to. */
export const isNumber = (number: string): boolean => /^\+?\d+$/.test(number);

/** The clock of a phone may be ahead. */
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
