import { createHash } from 'node:crypto';
import type { AppStorage, InboxSms } from './app-storage';
import type { AppAbilities } from './app-version';
import { formatDate, type JsonObject, optionalDate, optionalString } from './gson';
import type { HookPoster } from './hook-poster';

/** What a test gives for an SMS that arrives. Times in epoch milliseconds, by default now. */
export interface ArrivingSms {
  readonly sender: string;
  readonly text: string;
  readonly simNumber?: number;
  /** By the SMS centre. */
  readonly sentAt?: number;
}

/** The inbox of the phone, and the posts about it. */
export class Inbox {
  constructor(
    private readonly storage: AppStorage,
    private readonly abilities: AppAbilities,
    private readonly utcOffsetMinutes: number,
    private readonly poster: HookPoster,
  ) {}

  /** Posts an SMS that has just arrived. */
  postLive(sms: InboxSms): void {
    this.storage.processed.add(sms);
    this.post(sms, this.abilities.knowsCentreTime ? sms.sentAt : sms.receivedAt);
  }

  /**
   * Posts what arrived in the time of a MessagesExportRequested, with the times of the inbox.
   * @throws UnreadableJson
   */
  export(request: JsonObject): void {
    const since = optionalDate(request, 'since');
    const until = optionalDate(request, 'until');
    if (since === undefined || until === undefined) throw new Error('an export without since or until');
    const types = optionalString(request, 'messageTypes') ?? 'SMS';
    if (!types.split(',').includes('SMS') || optionalString(request, 'triggerWebhooks') === 'false') return;
    for (const sms of this.storage.inbox) {
      if (sms.receivedAt < since || sms.receivedAt > until) continue;
      if (this.abilities.knowsCentreTime && this.storage.processed.has(sms)) continue;
      this.storage.processed.add(sms);
      this.post(sms, sms.receivedAt);
    }
  }

  private post({ sender, text, simNumber }: InboxSms, time: number): void {
    const receivedAt = formatDate(time, this.utcOffsetMinutes);
    this.poster.post('sms:received', {
      messageId: createHash('sha256').update(`${sender}${text}${receivedAt}`).digest('hex').slice(0, 8),
      message: text,
      ...(this.abilities.namesSender && { sender, recipient: null }),
      simNumber: simNumber ?? null,
      phoneNumber: sender,
      receivedAt,
    });
  }
}
