import { randomInt } from 'node:crypto';
import type { AppHook, HookEvent } from './app-hooks';
import type { AppSettings } from './app-settings';
import type { ListedMessage, SmsState } from './listed-message';

export interface Registration {
  readonly id: string;
  readonly token: string;
  readonly login: string;
}

/** An outgoing SMS, as the app stores it. */
export interface StoredSms extends ListedMessage {
  state: SmsState;
  /** When it entered each state, in epoch milliseconds. */
  readonly states: Partial<Record<SmsState, number>>;
  error?: string;
}

/** An SMS that has left the phone. */
export interface AiredSms {
  readonly id: string;
  readonly phoneNumber: string;
  readonly text: string;
  readonly simNumber?: number;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** An SMS in the inbox of the phone. Times in epoch milliseconds. */
export interface InboxSms {
  readonly sender: string;
  readonly text: string;
  readonly simNumber?: number;
  /** By the SMS centre. */
  readonly sentAt: number;
  /** By the phone's clock. */
  readonly receivedAt: number;
}

/** A post to a webhook that the service has not accepted yet. */
export interface QueuedPost {
  /** The same in all retries. */
  readonly id: string;
  readonly hook: AppHook;
  readonly event: HookEvent;
  readonly payload: object;
  readonly createdAt: number;
  retries: number;
}

/** A report of the state of an SMS that the service has not accepted yet. */
export interface QueuedReport {
  readonly id: string;
  retries: number;
}

/** What survives a restart of the app. */
export class AppStorage {
  registration?: Registration;
  settings: AppSettings = {};
  hooks: readonly AppHook[] = [];
  readonly sms = new Map<string, StoredSms>();
  /** The reports that are not accepted yet. */
  readonly reports = new Set<QueuedReport>();
  readonly posts = new Map<string, QueuedPost>();
  readonly inbox: InboxSms[] = [];
  readonly processed = new Set<InboxSms>();
  /** What has left the phone, oldest first. */
  readonly aired: AiredSms[] = [];
  /** Signs posts until the service has set a key. */
  readonly ownSigningKey = String(randomInt(10_000_000, 100_000_000));

  /** The ids that were aired more than once. */
  airedTwice(): string[] {
    const seen = new Set<string>();
    return this.aired.flatMap(({ id }) => (seen.has(id) ? [id] : (seen.add(id), [])));
  }
}
