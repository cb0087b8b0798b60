import { setMaxListeners } from 'node:events';
import { readHooks } from './app-hooks';
import { AppHttp, RefusedCall } from './app-http';
import { readSettings } from './app-settings';
import { AppStorage, type InboxSms, type Registration } from './app-storage';
import { AppTime, HOUR, MINUTE, retryDelay, SECOND } from './app-time';
import { type AppAbilities, abilitiesOf } from './app-version';
import type { StreamEvent } from './event-reader';
import { asObject, requiredString } from './gson';
import { type AppVariant, HookPoster } from './hook-poster';
import { type ArrivingSms, Inbox } from './inbox';
import { type ListedMessage, readMessages } from './listed-message';
import { MessageFetcher } from './message-fetcher';
import { ORDINARY_PHONE, type PhoneHardware } from './phone-hardware';
import { SmsSender } from './sms-sender';
import { NO_REPORT_FAULTS, type ReportFaults, StateReporter } from './state-reporter';
import { StreamSet } from './stream-set';

/** How the person signs in when the app asks. */
export type AppCredential =
  | { readonly code: string }
  | { readonly user: string; readonly password: string }
  | { readonly privateToken: string };

export interface SmsGateAppOptions extends Partial<ReportFaults>, Partial<PhoneHardware> {
  /** The API URL as the person types it. */
  readonly apiUrl: string;
  readonly credential?: AppCredential;
  readonly version?: string;
  readonly variant?: AppVariant;
  /** `MANUFACTURER/PRODUCT`. */
  readonly name?: string;
  /** Google's token. With it and the channel AUTO the app opens no stream. */
  readonly pushToken?: string;
  readonly channel?: 'AUTO' | 'SSE_ONLY';
  /** The real milliseconds of one millisecond of the app's waits; 0.01 by default, so that 10 s are 100 ms. */
  readonly timeScale?: number;
  /** The storage of an earlier start. */
  readonly storage?: AppStorage;
  /** Decides whether a report is lost. */
  readonly random?: () => number;
}

const FETCH_PERIOD = 15 * MINUTE;
const REFRESH_PERIOD = 24 * HOUR;

/**
 * A stand-in for the app SMS Gateway for Android, in private-server mode. It is strict where the app is strict, and stores what
 * the app stores: `stop`, then a new instance with the same storage, is a restart.
 */
export class SmsGateApp {
  readonly storage: AppStorage;
  readonly streams: StreamSet;
  readonly fetcher: MessageFetcher;
  /** What went wrong, as in the app's log. */
  readonly errors: string[] = [];
  /** What the app accepted although the protocol does not allow it. */
  readonly violations: string[] = [];
  /** The events that arrived, of all streams. */
  readonly events: StreamEvent[] = [];
  /** The ids of each list that was read. */
  readonly lists: string[][] = [];
  private readonly http: AppHttp;
  private readonly phone: PhoneHardware;
  private readonly abilities: AppAbilities;
  private readonly time: AppTime;
  private readonly lifetime = new AbortController();
  private readonly sender: SmsSender;
  private readonly reporter: StateReporter;
  private readonly poster: HookPoster;
  private readonly inbox: Inbox;
  /** What a change of the settings does not alter before the next start. */
  private readonly channel: 'AUTO' | 'SSE_ONLY';

  constructor(readonly options: SmsGateAppOptions) {
    const version = options.version ?? '1.68.0';
    this.abilities = abilitiesOf(version);
    this.http = new AppHttp(options.apiUrl, version);
    this.storage = options.storage ?? new AppStorage();
    this.phone = { ...ORDINARY_PHONE, ...definedOnly(options) };
    this.time = new AppTime(options.timeScale ?? 0.01);
    this.channel = this.storage.settings.channel ?? options.channel ?? 'SSE_ONLY';
    const stopped = this.lifetime.signal;
    setMaxListeners(0, stopped);
    this.reporter = new StateReporter(
      this.storage,
      this.time,
      this.phone.utcOffsetMinutes,
      { ...NO_REPORT_FAULTS, ...definedOnly(options) },
      options.random ?? Math.random,
      stopped,
      (body) => this.call('PATCH', '/message', body, stopped),
      this.onError,
    );
    this.sender = new SmsSender(this.storage, this.time, this.phone, stopped, (sms) => {
      this.reporter.report(sms);
    });
    this.poster = new HookPoster(
      this.storage,
      this.time,
      this.phone.now,
      options.variant ?? 'release',
      stopped,
      this.onError,
    );
    this.inbox = new Inbox(this.storage, this.abilities, this.phone.utcOffsetMinutes, this.poster);
    this.fetcher = new MessageFetcher(
      this.time,
      stopped,
      (signal) => this.fetchMessages(signal),
      this.onError,
    );
    this.streams = new StreamSet(
      this.time,
      stopped,
      () => ({ url: `${options.apiUrl}/events`, token: this.registration.token }),
      {
        onOpen: () => {
          this.fetcher.restart();
        },
        onEvent: (event) => {
          this.receive(event);
        },
        onEnd: (reason) => {
          this.onError(`stream: ${reason}`);
        },
      },
    );
  }

  /** @throws Error if the app is not registered. */
  get registration(): Registration {
    if (!this.storage.registration) throw new Error('The app is not registered');
    return this.storage.registration;
  }

  get deviceId(): string {
    return this.registration.id;
  }

  get aired(): AppStorage['aired'] {
    return this.storage.aired;
  }

  /**
   * Switches the app online: registers or announces itself, then opens the stream and reads settings and webhooks.
   * @throws RefusedCall as the dialog of the registration shows it.
   */
  async start(): Promise<this> {
    if (this.storage.registration) await this.announce();
    else await this.register(this.credentialHeader());
    if (this.usesStream) this.streams.add();
    else this.fetcher.restart();
    this.sender.resume();
    this.reporter.resume();
    this.poster.resume();
    // The key that signs posts is one of the settings.
    await this.refresh(() => this.readSettings());
    await this.refresh(() => this.readHooks());
    if (this.abilities.announcesStart) this.poster.post('app:started', { simCards: this.simCards(false) });
    void this.every(FETCH_PERIOD, () => {
      this.fetcher.restart();
    });
    void this.every(REFRESH_PERIOD, () => {
      void this.refresh(() => this.readSettings());
      void this.refresh(() => this.readHooks());
    });
    const { pingInterval } = this.storage.settings;
    if (pingInterval !== undefined)
      void this.every(pingInterval * SECOND, () => {
        this.ping();
      });
    return this;
  }

  /** Ends the app without a word to the service. */
  stop(): void {
    this.lifetime.abort();
  }

  /** Ends the app and starts it again, possibly as another version. */
  async restart(changes: Partial<SmsGateAppOptions> = {}): Promise<SmsGateApp> {
    this.stop();
    return new SmsGateApp({ ...this.options, storage: this.storage, ...changes }).start();
  }

  /** An SMS arrives at the phone; while the app is stopped it only enters the inbox. */
  receiveSms({ sender, text, simNumber, sentAt }: ArrivingSms): void {
    const receivedAt = this.phone.now();
    const sms: InboxSms = { sender, text, simNumber, sentAt: sentAt ?? receivedAt, receivedAt };
    this.storage.inbox.push(sms);
    if (!this.lifetime.signal.aborted) this.inbox.postLive(sms);
  }

  /** Posts `system:ping` and asks for messages, as it does at the interval of the settings. */
  ping(health: { readonly battery?: number; readonly charging?: number } = {}): void {
    const { battery = 87, charging = 5 } = health;
    this.fetcher.restart();
    this.poster.post('system:ping', {
      health: {
        status: 'pass',
        version: this.options.version ?? '1.68.0',
        releaseId: 123,
        checks: {
          'battery:level': {
            description: 'Battery level in percent',
            observedUnit: 'percent',
            observedValue: battery,
          },
          'battery:charging': {
            description: 'Is the phone charging?',
            observedUnit: 'flags',
            observedValue: charging,
          },
          'connection:status': {
            description: 'Internet connection status',
            observedUnit: 'boolean',
            observedValue: 1,
          },
          'messages:failed': {
            description: 'Failed messages for last hour',
            observedUnit: 'messages',
            observedValue: 0,
          },
        },
      },
    });
  }

  /** `GET /device`: the label of the settings page. */
  async externalIp(): Promise<string> {
    const json = await this.http.json({ method: 'GET', path: '/device' });
    return requiredString(asObject(json, 'device'), 'externalIp');
  }

  private readonly onError = (error: string): void => {
    this.errors.push(error);
  };

  private readonly onViolation = (violation: string): void => {
    this.violations.push(violation);
  };

  private get usesStream(): boolean {
    return this.abilities.streams && this.pushToken === undefined;
  }

  /** With the channel SSE_ONLY the app asks Google for none. */
  private get pushToken(): string | undefined {
    const isStreamOnly = this.channel === 'SSE_ONLY' && this.abilities.channelSetting;
    return isStreamOnly ? undefined : this.options.pushToken;
  }

  private credentialHeader(): string | undefined {
    const { credential } = this.options;
    if (!credential) return undefined;
    if ('code' in credential) {
      if (!/^\d+$/.test(credential.code)) throw new Error('The field of the code takes digits only');
      return `Code ${credential.code}`;
    }
    if ('privateToken' in credential) return `Bearer ${credential.privateToken}`;
    const pair = Buffer.from(`${credential.user}:${credential.password}`).toString('base64');
    return `Basic ${pair}`;
  }

  private async register(authorization?: string): Promise<void> {
    const { name = 'Google/oriole' } = this.options;
    const body = { name, pushToken: this.pushToken, simCards: this.simCards(true) };
    const json = asObject(
      await this.http.json({ method: 'POST', path: '/device', authorization, body }),
      'registration',
    );
    this.storage.registration = {
      id: requiredString(json, 'id'),
      token: requiredString(json, 'token'),
      login: requiredString(json, 'login'),
    };
  }

  /** `PATCH /device`, repeated until it succeeds; a 401 makes the app register anew without a code. */
  private async announce(): Promise<void> {
    for (let retry = 0; ; retry += 1) {
      try {
        const body = { id: this.deviceId, pushToken: this.pushToken, simCards: this.simCards(true) };
        await this.call('PATCH', '/device', body);
        return;
      } catch (error) {
        if (error instanceof RefusedCall && error.status === 401) {
          const { credential } = this.options;
          await this.register(
            credential && 'privateToken' in credential ? this.credentialHeader() : undefined,
          );
          return;
        }
        this.onError(String(error));
        if (!(await this.time.wait(retryDelay(retry), this.lifetime.signal))) throw error;
      }
    }
  }

  private receive(event: StreamEvent): void {
    this.events.push(event);
    try {
      this.handle(event.name ?? 'MessageEnqueued', event.data);
    } catch (error) {
      this.onError(`event ${event.name ?? ''}: ${String(error)}`);
    }
  }

  private handle(name: string, data: string): void {
    switch (name) {
      case 'MessageEnqueued':
        this.fetcher.restart();
        return;
      case 'WebhooksUpdated':
        void this.refresh(() => this.readHooks());
        return;
      case 'SettingsUpdated':
        void this.refresh(() => this.readSettings());
        return;
      case 'MessagesExportRequested':
        this.inbox.export(asObject(JSON.parse(data), 'data'));
        return;
      case 'MessageCancelled': {
        if (!this.abilities.cancels) break;
        const sms = this.storage.sms.get(requiredString(asObject(JSON.parse(data), 'data'), 'messageId'));
        if (sms) this.sender.cancel(sms);
        return;
      }
    }
    this.onViolation(`unknown event ${name}`);
  }

  private async fetchMessages(signal: AbortSignal): Promise<void> {
    const order = (this.storage.settings.order ?? 'LIFO').toLowerCase();
    const messages = readMessages(
      await this.call('GET', `/message?order=${order}`, undefined, signal),
      this.onViolation,
    );
    signal.throwIfAborted();
    this.lists.push(messages.map(({ id }) => id));
    for (const message of messages) this.take(message);
  }

  private take(message: ListedMessage): void {
    const known = this.storage.sms.get(message.id);
    const isCancelled = this.abilities.cancels && message.state === 'Cancelling';
    if (!known) {
      this.sender.add(message, isCancelled ? 'Cancelled' : 'Pending');
    } else if (isCancelled && known.state === 'Pending') {
      this.sender.cancel(known);
    } else {
      this.reporter.report(known);
    }
  }

  private async readSettings(): Promise<void> {
    const json = await this.call('GET', '/settings');
    this.storage.settings = {
      ...this.storage.settings,
      ...readSettings(json, this.abilities.channelSetting),
    };
  }

  private async readHooks(): Promise<void> {
    this.storage.hooks = readHooks(await this.call('GET', '/webhooks'), this.abilities, this.onViolation);
  }

  /** Makes a call with the token. */
  private async call(
    method: 'GET' | 'PATCH',
    path: string,
    body?: object,
    signal: AbortSignal = this.lifetime.signal,
  ): Promise<unknown> {
    const call = { method, path, body, signal, authorization: `Bearer ${this.registration.token}` };
    return method === 'GET' ? this.http.json(call) : this.http.send(call);
  }

  /** Runs the task, and repeats it in the background until it succeeds. Resolves after the first attempt. */
  private async refresh(task: () => Promise<void>, retry = 0): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (this.lifetime.signal.aborted) return;
      this.onError(String(error));
      void this.time.wait(retryDelay(retry), this.lifetime.signal).then((isDue) => {
        if (isDue) void this.refresh(task, retry + 1);
      });
    }
  }

  private async every(period: number, task: () => void): Promise<void> {
    while (await this.time.wait(period, this.lifetime.signal)) task();
  }

  private simCards(isMasked: boolean): object[] | undefined {
    if (!this.abilities.listsSims) return undefined;
    const mask = (value: string) =>
      isMasked
        ? '*'.repeat(Math.max(4, value.length - 4)) + (value.length > 4 ? value.slice(-4) : '')
        : value;
    return this.phone.simNumbers.map((simNumber) => ({
      slotIndex: simNumber - 1,
      simNumber,
      ...(this.phone.permissions.phone && {
        phoneNumber: mask(`+44770090012${simNumber}`),
        carrierName: mask('Vodafone'),
        iccid: mask(`894410000000000${simNumber}234`),
      }),
    }));
  }
}

function definedOnly<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
