import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { StoredConsentSettings } from '../../auth/accounts/consent-settings';
import { Clock } from '../../common/clock';
import { consentSettingsOf } from '../../consent/settings/consent-settings';
import { ConsentDecisions, type Decision } from '../../consent/suppressions/consent-decisions.service';
import { readWords, type TextMeaning } from '../../consent/words/read-words';
import { BatchesRepository } from '../../messages/batches.repository';
import { MessagesRepository } from '../../messages/messages.repository';
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

const DECISIONS: Readonly<Record<TextMeaning, Decision['state'] | undefined>> = {
  out: 'out',
  unclear: 'held',
  in: 'in',
  help: undefined,
};

/** Obeys what people write: STOP and START. */
@Injectable()
export class OptOuts {
  constructor(
    private readonly decisions: ConsentDecisions,
    private readonly suppressed: SuppressedMessages,
    private readonly suppressedMessages: SuppressedMessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Obeys a text before it is stored: stores the block and the record of it, and then fails what waits for the number. Each step may be
   * repeated, by a repeated upload. A text that was received before the last decision about its number changes nothing.
   * @param stored the settings of the account.
   * @returns the id to store the text with, if it is a decision.
   * @throws BatchChanging
   */
  async obey(
    account: AccountScope,
    stored: StoredConsentSettings | undefined,
    incoming: IncomingText,
  ): Promise<Types.ObjectId | undefined> {
    if (!stored?.enabled || !isNumber(incoming.number)) return undefined;
    const settings = consentSettingsOf(stored);
    const meaning = readWords(incoming.text, settings);
    const state = meaning && DECISIONS[meaning];
    if (!state) return undefined;
    const { number, text: words, device, simSubscriptionId, fingerprint, isStored } = incoming;
    const { stopCovers } = settings;
    const topic =
      stopCovers === 'topic' && state !== 'in' ? await this.lastTopic(account, number) : undefined;
    const message = isStored
      ? ((await this.messages.findReceivedId(account, device, fingerprint)) ?? new Types.ObjectId())
      : undefined;
    const record = await this.decisions.record(account, {
      ...{ number, state, source: 'keyword', words, device },
      at: earlier(incoming.receivedAt, this.clock.now()),
      covers: stopCovers === 'everything' ? 'everything' : 'undeclared',
      ...(topic !== undefined && { topic }),
      ...(message && { message }),
      ...(simSubscriptionId !== undefined && { simSubscriptionId }),
      uploadKey: `${device.toHexString()} ${fingerprint}`,
    });
    if (state !== 'in') await this.suppressed.failPending(account, number);
    return isStored ? (record.message ?? message) : undefined;
  }

  /** The topic of the last send to a number, which a person means who writes STOP. */
  private async lastTopic(account: AccountScope, number: string): Promise<string | undefined> {
    const last = await this.suppressedMessages.findLastBatch(account, number);
    if (!last) return undefined;
    const [batch] = await this.batches.listDeclared(account, [last]);
    return batch?.topic;
  }
}

/** Names of senders cannot be sent to. */
const isNumber = (number: string): boolean => /^\+?\d+$/.test(number);

/** The clock of a phone may be ahead. */
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
