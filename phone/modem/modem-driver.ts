import { createHash } from 'node:crypto';
import {
  RadioUnavailable,
  type RadioDriver,
  type RadioFacts,
  type RadioState,
  type StoredSms,
} from '../radio-driver';
import type { FailureReason } from '../sent-ledger';
import { countParts } from '../sims/message-parts';
import type { SmsCommand } from '../wire';
import { joinParts } from './received-parts';
import { relativeValidity } from './relative-validity';
import { readSmsdConfig, type SmsdConfig } from './smsd-config';
import { MAX_PARTS, SmsdDatabase, type PhoneRow, type SentPart } from './smsd-database';
import { reasonInLog, tailOf } from './smsd-log';

/** A part takes a modem three to six seconds. */
const SEND_DELAY_SECONDS = 5;

/** A GSM modem by the SQLite database of its gammu-smsd. */
export class ModemDriver implements RadioDriver {
  readonly isLocal = true;
  private opened: { readonly config: SmsdConfig; readonly database: SmsdDatabase } | undefined;

  /** @param file the configuration of gammu-smsd. */
  constructor(private readonly file: string) {}

  get store(): string {
    return this.opened?.database.store ?? '';
  }

  check(): Promise<RadioFacts> {
    return answer(() => {
      if (this.opened?.database.isReplaced) this.close();
      const { config, database } = (this.opened ??= this.open());
      const phone = database.phone();
      if (phone === undefined || phone.ageMs > config.silenceMs)
        throw new RadioUnavailable(silence(this.file, config, phone));
      if (!phone.isSending) throw new RadioUnavailable(`gammu-smsd of ${this.file} is set to receive only`);
      return factsOf(phone);
    });
  }

  hand(command: SmsCommand): Promise<FailureReason | undefined> {
    return answer(() => {
      const { smsId: id, message, validUntil } = command;
      const parts = countParts(message);
      if (parts > MAX_PARTS)
        return {
          code: 'TOO_LONG',
          text: `The message has ${parts} parts; gammu-smsd sends at most ${MAX_PARTS}`,
        };
      const validity = relativeValidity(validUntil, Date.now());
      this.database.add({ id, recipient: command.recipients[0], text: message, relativeValidity: validity });
      return undefined;
    });
  }

  statesOf(smsIds: readonly string[]): Promise<ReadonlyMap<string, RadioState>> {
    return answer(() => {
      const states = new Map<string, RadioState>();
      const interrupted = this.database.withdrawInterrupted(smsIds);
      const { waiting, sent } = this.database.lookUp(smsIds);
      for (const id of smsIds) {
        const parts = sent.filter(({ creatorId }) => creatorId === id);
        if (interrupted.includes(id)) states.set(id, { state: 'doubtful' });
        else if (waiting.has(id)) states.set(id, { state: 'waiting' });
        else if (parts.length > 0) states.set(id, stateOf(parts));
      }
      return states;
    });
  }

  withdraw(smsId: string): Promise<boolean> {
    return answer(() => this.database.withdraw(smsId));
  }

  received(): Promise<readonly StoredSms[]> {
    return answer(() => {
      const { parts, binaries } = this.database.received();
      this.database.markProcessed(binaries, 'binary');
      return joinParts(parts)
        .slice(0, 50)
        .map(({ ids, ...sms }) => ({ ...sms, key: ids.join(' ') }));
    });
  }

  settle(key: string, end: 'taken' | 'refused'): Promise<void> {
    return answer(() => {
      this.database.markProcessed(key.split(' ').map(Number), end === 'taken' ? 'true' : 'refused');
    });
  }

  close(): void {
    this.opened?.database.close();
    this.opened = undefined;
  }

  private get database(): SmsdDatabase {
    if (this.opened === undefined) throw new RadioUnavailable('The database of gammu-smsd is not open');
    return this.opened.database;
  }

  private open(): { readonly config: SmsdConfig; readonly database: SmsdDatabase } {
    const config = readSmsdConfig(this.file);
    return { config, database: new SmsdDatabase(config) };
  }
}

/** The database is local and its calls are short: nothing waits. */
function answer<Answer>(work: () => Answer): Promise<Answer> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function silence(file: string, { logFile, phoneId }: SmsdConfig, phone: PhoneRow | undefined): string {
  const since = phone === undefined ? 'has not found a modem' : `is silent since ${phone.updatedAt} UTC`;
  const reason = logFile === undefined ? undefined : reasonInLog(tailOf(logFile));
  const see = logFile === undefined ? 'see its log' : `see ${logFile}`;
  return `gammu-smsd ${phoneId} (${file}) ${since}: ${reason ?? `is it running, and the modem plugged in? ${see}`}`;
}

function factsOf({ imsi, networkCode, networkName, battery, client }: PhoneRow): RadioFacts {
  const [mcc, mnc] = networkCode.split(' ');
  const sim = {
    subscriptionId: subscriptionIdOf(imsi),
    slot: 0,
    displayName: 'SIM 1',
    ...(networkName !== '' && networkName !== 'ERROR' && { carrierName: networkName }),
    ...(mnc !== undefined && { mcc, mnc }),
  };
  return {
    manufacturer: 'GSM modem',
    model: client.split(',')[0] ?? 'Gammu',
    os: 'Linux',
    sendDelaySeconds: SEND_DELAY_SECONDS,
    ...(battery >= 0 && { batteryPercentage: battery }),
    networkType: 'cellular',
    sims: [sim],
  };
}

/** As in Android, another SIM has another id. */
function subscriptionIdOf(imsi: string): number {
  if (imsi === '') return 1;
  return (createHash('sha256').update(imsi).digest().readUInt32BE() >>> 1) + 1;
}

function stateOf(parts: readonly SentPart[]): RadioState {
  const at = Math.max(...parts.map((part) => part.at));
  const sentAt = Math.min(...parts.map((part) => part.at));
  const failed = parts.filter(({ status }) => status === 'SendingError' || status === 'Error');
  if (failed.length > 0) {
    const sent =
      parts.length > 1 ? `, ${parts.length - failed.length} of ${parts.length} parts were sent` : '';
    return { state: 'failed', at, reason: { code: '1', text: `The modem refused the message${sent}` } };
  }
  const refused = parts.find(({ status }) => status === 'DeliveryFailed');
  if (refused !== undefined) {
    const status = refused.statusError > 0 ? ` (status ${refused.statusError})` : '';
    const text = `The network did not deliver the message${status}`;
    return { state: 'undelivered', sentAt, at, reason: { code: 'DELIVERY_FAILED', text } };
  }
  if (parts.every(({ status }) => status === 'DeliveryOK')) return { state: 'delivered', sentAt, at };
  const isConfirmed = parts.every(({ status }) => AWAITED.has(status));
  return { state: 'sent', at: sentAt, isConfirmed };
}

/** Not `SendingOKNoReport`, and not `DeliveryUnknown`, after which no report follows. */
const AWAITED: ReadonlySet<string> = new Set(['SendingOK', 'DeliveryPending', 'DeliveryOK']);
