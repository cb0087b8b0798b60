import { setTimeout as sleep } from 'node:timers/promises';
import {
  RadioUnavailable,
  type RadioDriver,
  type RadioFacts,
  type RadioState,
  type StoredSms,
} from '../radio-driver';
import type { FailureReason } from '../sent-ledger';
import { isRecord, type SmsCommand } from '../wire';
import { errorIn, LocalServer, type LocalAnswer, type LocalServerOptions } from './local-server';
import { stateOfMessage } from './message-state';

export interface SmsGateOptions extends LocalServerOptions {
  /** Nothing that was received before is uploaded; epoch milliseconds. Default: the start. */
  readonly pairedAt?: number;
  /** The time of the newest message that was uploaded; those after it, and of the day before it, are read again at the start. */
  readonly uploadedUntil?: number;
  readonly onUploaded?: (until: number) => void;
  /** Default 5 s. */
  readonly checkMs?: number;
  /** Default 3 s. */
  readonly inboxMs?: number;
}

const DAY_MS = 86_400_000;
const MAX_LISTED = 500;
const MAX_PAGES = 20;
/** What an answer of `GET /messages/{id}` cannot be waited for at once. */
const CONCURRENT_LOOKUPS = 5;

/** An Android phone by the local server of its app SMSGate: the phone is the server. */
export class SmsGateDriver implements RadioDriver {
  readonly isLocal = false;
  private readonly server: LocalServer;
  private facts: { readonly value: RadioFacts; readonly at: number } | undefined;
  private inboxAt = 0;
  private isRefreshed = false;
  private readonly pairedAt: number;
  private newest: number;
  private device = '';
  /** Texts that were uploaded, by id, with their times. */
  private readonly seen = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly options: SmsGateOptions) {
    this.server = new LocalServer(options);
    this.pairedAt = options.pairedAt ?? Date.now();
    this.newest = options.uploadedUntil ?? this.pairedAt;
  }

  get store(): string {
    return `smsgate-${this.device}`;
  }

  async check(): Promise<RadioFacts> {
    const { checkMs = 5_000 } = this.options;
    if (this.facts !== undefined && Date.now() - this.facts.at < checkMs) return this.facts.value;
    let health: LocalAnswer, device: LocalAnswer;
    try {
      // 500 is the answer of a phone without internet or with an empty battery: its facts are in the body all the same.
      health = await this.server.call('GET', 'health');
      device = await this.server.call('GET', 'device');
    } catch (error) {
      this.facts = undefined;
      throw new RadioUnavailable(
        `The phone does not answer: is it on, in this network, and its local server Online? Its address may have changed (${textOf(error)})`,
      );
    }
    if (device.status === 401)
      throw new RadioUnavailable(
        'The phone refuses user or password: they stand below "Local server" in the app',
      );
    if (device.status !== 200 || !Array.isArray(device.body) || !isRecord(health.body))
      throw new RadioUnavailable(
        `This is not the local server of SMSGate: GET /device answers ${errorIn(device)}`,
      );
    this.facts = { value: readFacts(health.body, device.body), at: Date.now() };
    this.device = idIn(device.body);
    return this.facts.value;
  }

  async hand(command: SmsCommand): Promise<FailureReason | undefined> {
    const { smsId, message, recipients, simSubscriptionId, validUntil } = command;
    const body = {
      id: smsId,
      textMessage: { text: message },
      phoneNumbers: recipients,
      ...(simSubscriptionId !== undefined && { simNumber: simSubscriptionId }),
      withDeliveryReport: true,
      priority: 0,
      ...(validUntil !== undefined && { validUntil: new Date(validUntil).toISOString() }),
    };
    const answer = await this.server.call('POST', 'messages?skipPhoneValidation=true', body);
    // 409: an earlier try has arrived.
    if (answer.status === 202 || answer.status === 201 || answer.status === 409) return undefined;
    if (answer.status === 400) return refusalOf(errorIn(answer));
    throw new Error(`POST /messages: ${errorIn(answer)}`);
  }

  async statesOf(smsIds: readonly string[]): Promise<ReadonlyMap<string, RadioState>> {
    const states = new Map<string, RadioState>();
    const waiting = [...smsIds];
    const work = async (): Promise<void> => {
      for (let smsId = waiting.pop(); smsId !== undefined && !this.isClosed; smsId = waiting.pop()) {
        const answer = await this.server.call('GET', `messages/${encodeURIComponent(smsId)}`);
        if (answer.status === 404) continue;
        // An answer that cannot be read must not count as an unknown message, which would be sent again.
        const state = answer.status === 200 ? stateOfMessage(answer.body) : undefined;
        if (state === undefined) throw new Error(`GET /messages/${smsId}: ${errorIn(answer)}`);
        states.set(smsId, state);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_LOOKUPS }, work));
    return states;
  }

  /** Apps before 1.67.0 cannot cancel, and answer 404 or 405. */
  async withdraw(smsId: string): Promise<boolean> {
    const { status } = await this.server.call('DELETE', `messages/${encodeURIComponent(smsId)}`);
    return status === 200;
  }

  async received(): Promise<readonly StoredSms[]> {
    const { inboxMs = 3_000 } = this.options;
    if (this.facts === undefined || Date.now() - this.inboxAt < inboxMs) return [];
    this.inboxAt = Date.now();
    if (!this.isRefreshed) await this.refresh();
    // A message that was long on its way has the time of its SMS centre.
    const from = Math.max(this.pairedAt, this.newest - DAY_MS);
    this.forgetBefore(from);
    const found: StoredSms[] = [];
    for (let offset = 0; offset < MAX_PAGES * MAX_LISTED; offset += MAX_LISTED) {
      const query = `type=SMS&from=${iso(from)}&to=${iso(Date.now() + DAY_MS)}&limit=${MAX_LISTED}&offset=${offset}`;
      const answer = await this.server.call('GET', `inbox?${query}`);
      if (answer.status === 404) return [];
      if (answer.status !== 200 || !Array.isArray(answer.body))
        throw new Error(`GET /inbox: ${errorIn(answer)}`);
      found.push(...answer.body.flatMap((each: unknown) => this.unseenIn(each)));
      if (answer.body.length < MAX_LISTED) break;
    }
    return found.reverse().slice(0, 50);
  }

  settle(key: string): Promise<void> {
    const [id, at] = splitKey(key);
    this.seen.set(id, Number(at));
    if (Number(at) > this.newest) {
      this.newest = Number(at);
      this.options.onUploaded?.(this.newest);
    }
    return Promise.resolve();
  }

  close(): void {
    this.isClosed = true;
  }

  /** Reads into the list of the app what the phone received while nobody listened. */
  private async refresh(): Promise<void> {
    const since = iso(Math.max(this.pairedAt, this.newest - DAY_MS));
    const body = { since, until: iso(Date.now()), messageTypes: ['SMS'], triggerWebhooks: false };
    const answer = await this.server.call('POST', 'inbox/refresh', body);
    if (answer.status !== 202 && answer.status !== 404)
      throw new Error(`POST /inbox/refresh: ${errorIn(answer)}`);
    this.isRefreshed = true;
    await sleep(Math.min(1_000, this.options.inboxMs ?? 1_000));
  }

  private unseenIn(value: unknown): StoredSms[] {
    if (!isRecord(value)) return [];
    // Despite its name it is the whole text of an SMS.
    const { id, sender, contentPreview, createdAt } = value;
    if (typeof id !== 'string' || typeof createdAt !== 'string' || this.seen.has(id)) return [];
    const receivedAtInMillis = Date.parse(createdAt);
    if (Number.isNaN(receivedAtInMillis)) return [];
    const text = typeof contentPreview === 'string' ? contentPreview : '';
    const from = typeof sender === 'string' ? sender : '';
    return [{ key: `${receivedAtInMillis} ${id}`, sender: from, message: text, receivedAtInMillis }];
  }

  private forgetBefore(time: number): void {
    for (const [id, at] of this.seen) if (at < time) this.seen.delete(id);
  }
}

function splitKey(key: string): [string, string] {
  const space = key.indexOf(' ');
  return [key.slice(space + 1), key.slice(0, space)];
}

function refusalOf(error: string): FailureReason {
  return /expired/i.test(error)
    ? { code: 'EXPIRED', text: 'The deadline had passed before it was sent' }
    : { code: '1', text: `The app refused the message: ${error}` };
}

function deviceIn(body: unknown): Readonly<Record<string, unknown>> {
  const device: unknown = Array.isArray(body) ? body[0] : undefined;
  return isRecord(device) ? device : {};
}

function idIn(body: unknown): string {
  const { id } = deviceIn(body);
  return typeof id === 'string' ? id : '';
}

function readFacts(health: Readonly<Record<string, unknown>>, body: unknown): RadioFacts {
  const { name, simCards } = deviceIn(body);
  const [manufacturer = 'Android', model = 'phone'] = typeof name === 'string' ? name.split('/') : [];
  const checks = isRecord(health.checks) ? health.checks : {};
  const observed = (check: string): number | undefined => {
    const found = checks[check];
    return isRecord(found) && typeof found.observedValue === 'number' ? found.observedValue : undefined;
  };
  const charging = observed('battery:charging');
  return {
    manufacturer,
    model,
    os: 'Android',
    batteryPercentage: observed('battery:level'),
    ...(charging !== undefined && { isCharging: (charging & 1) === 1 }),
    sims: Array.isArray(simCards) ? simCards.flatMap(simOf) : [],
  };
}

/** The number of the SIM, from 1, is what a message names. */
function simOf(value: unknown): RadioFacts['sims'] {
  if (!isRecord(value) || typeof value.simNumber !== 'number') return [];
  const { simNumber, slotIndex, carrierName } = value;
  const slot = typeof slotIndex === 'number' ? slotIndex : simNumber - 1;
  return [
    {
      subscriptionId: simNumber,
      slot,
      displayName: `SIM ${slot + 1}`,
      ...(typeof carrierName === 'string' && { carrierName }),
    },
  ];
}

/** The app accepts no other number of decimals than three. */
function iso(time: number): string {
  return new Date(time).toISOString();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
