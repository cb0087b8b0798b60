import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readSendError, type SendError } from './send-error';
import { isRecord, readSmsCommand, type SmsCommand } from './wire';

export interface FailureReason {
  readonly code: string;
  readonly text: string;
}

/**
 * The outcome that the phone reports: sent and its delivery will be confirmed, sent and it will not be, or failed. What went on
 * the air is in `partTimes`.
 */
export type Fate = 'delivered' | 'sent' | 'failed';

/** The state of a message. Times are epoch milliseconds. */
export interface LedgerEntry {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly recipient: string;
  readonly pushReceivedAt: number;
  /** Kept until there is an outcome. */
  readonly command?: SmsCommand;
  /** Set before Android gets the message, which is then never sent again. */
  readonly sendAttemptedAt?: number;
  /** Where a radio remembers the message by its id. */
  readonly store?: string;
  readonly parts?: number;
  readonly simSubscriptionId?: number;
  readonly iccId?: string;
  /** Set with the outcome. */
  readonly fate?: Fate;
  /** When each part went on the air. */
  readonly partTimes?: readonly number[];
  readonly error?: SendError;
  /** What the radio said, in place of the code and the text of the error. */
  readonly reason?: FailureReason;
  readonly sentAt?: number;
  readonly deliveredAt?: number;
  readonly failedAt?: number;
  /** Cancelled before it was sent. */
  readonly cancelled?: true;
  /** The last report was accepted or rejected permanently. */
  readonly settled: boolean;
}

export type LedgerChange = Partial<
  Omit<LedgerEntry, 'smsId' | 'smsBatchId' | 'recipient' | 'pushReceivedAt'>
>;

export interface SentLedgerOptions {
  /** Without a file, the ledger is in memory only. */
  readonly file?: string;
  /** Number of settled messages to keep. Default 100,000. */
  readonly limit?: number;
}

/**
 * Messages that the phone accepted, sent and reported. An entry is written before the acknowledgement and before the
 * sending, so that a phone that is killed loses no message and sends none twice. The last line of an id counts.
 * Writes are not synced: a power failure can lose them.
 */
export class SentLedger {
  private readonly open = new Map<string, LedgerEntry>();
  private readonly settled = new Map<string, LedgerEntry>();
  private readonly limit: number;
  private descriptor: number | undefined;

  /** @throws if the file cannot be read. */
  constructor(private readonly options: SentLedgerOptions = {}) {
    this.limit = options.limit ?? 100_000;
    if (options.file !== undefined && existsSync(options.file)) this.load(readFileSync(options.file, 'utf8'));
  }

  get size(): number {
    return this.open.size + this.settled.size;
  }

  find(smsId: string): LedgerEntry | undefined {
    return this.open.get(smsId) ?? this.settled.get(smsId);
  }

  unfinished(): LedgerEntry[] {
    return [...this.open.values()];
  }

  accept(command: SmsCommand, pushReceivedAt: number): LedgerEntry {
    const { smsId, smsBatchId, recipients } = command;
    const entry = { smsId, smsBatchId, recipient: recipients[0], pushReceivedAt, command, settled: false };
    this.write(entry);
    return entry;
  }

  /** Also records unknown ids, because their message may still arrive. */
  cancel(smsId: string, at: number): void {
    const known = this.find(smsId) ?? { smsId, smsBatchId: '', recipient: '', pushReceivedAt: at };
    this.write({ ...known, command: undefined, cancelled: true, settled: true });
  }

  /** @returns undefined for an unknown message. */
  change(smsId: string, change: LedgerChange): LedgerEntry | undefined {
    const entry = this.find(smsId);
    if (entry === undefined) return undefined;
    const changed = { ...entry, ...change };
    this.write(changed);
    return changed;
  }

  /** The next change opens the file again. */
  close(): void {
    if (this.descriptor === undefined) return;
    closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private write(entry: LedgerEntry): void {
    const { file } = this.options;
    if (file !== undefined) {
      this.descriptor ??= this.openFile(file);
      this.append(file, this.descriptor, Buffer.from(lineOf(entry)));
    }
    this.remember(entry);
  }

  /** A line that does not fit on the disk is removed, so that it does not spoil the next one. */
  private append(file: string, descriptor: number, line: Buffer): void {
    const { size } = fstatSync(descriptor);
    try {
      for (let at = 0; at < line.length;) at += writeSync(descriptor, line, at);
    } catch (error) {
      ftruncateSync(descriptor, size);
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The ledger ${file} cannot be written, and nothing is sent without it: ${reason}`, {
        cause: error,
      });
    }
  }

  private remember(entry: LedgerEntry): void {
    if (!entry.settled) {
      this.open.set(entry.smsId, entry);
      return;
    }
    this.open.delete(entry.smsId);
    this.settled.set(entry.smsId, entry);
    if (this.settled.size <= this.limit) return;
    for (const oldest of this.settled.keys()) {
      this.settled.delete(oldest);
      break;
    }
  }

  /** Compacts the file, which also removes an incomplete last line. */
  private openFile(file: string): number {
    mkdirSync(dirname(file), { recursive: true });
    const lines = [...this.settled.values(), ...this.open.values()].map(lineOf);
    const fresh = `${file}.new`;
    writeFileSync(fresh, lines.join(''), { mode: 0o600 });
    renameSync(fresh, file);
    return openSync(file, 'a');
  }

  private load(text: string): void {
    for (const line of text.split('\n')) {
      const entry = readEntry(line);
      if (entry !== undefined) this.remember(entry);
    }
  }
}

function lineOf(entry: LedgerEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** @returns undefined for an incomplete line. */
function readEntry(line: string): LedgerEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { smsId, smsBatchId, recipient, pushReceivedAt, settled } = value;
  if (typeof smsId !== 'string' || typeof smsBatchId !== 'string' || typeof recipient !== 'string')
    return undefined;
  if (typeof pushReceivedAt !== 'number' || typeof settled !== 'boolean') return undefined;
  return {
    smsId,
    smsBatchId,
    recipient,
    pushReceivedAt,
    command: readSmsCommand(value.command),
    sendAttemptedAt: readNumber(value.sendAttemptedAt),
    store: readText(value.store),
    parts: readNumber(value.parts),
    simSubscriptionId: readNumber(value.simSubscriptionId),
    iccId: readText(value.iccId),
    fate: readFate(value.fate),
    partTimes: Array.isArray(value.partTimes)
      ? value.partTimes.filter((time) => typeof time === 'number')
      : undefined,
    error: readSendError(value.error),
    reason: readReason(value.reason),
    sentAt: readNumber(value.sentAt),
    deliveredAt: readNumber(value.deliveredAt),
    failedAt: readNumber(value.failedAt),
    ...(value.cancelled === true && { cancelled: true }),
    settled,
  };
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readReason(value: unknown): FailureReason | undefined {
  if (!isRecord(value)) return undefined;
  const { code, text } = value;
  return typeof code === 'string' && typeof text === 'string' ? { code, text } : undefined;
}

function readFate(value: unknown): Fate | undefined {
  return value === 'delivered' || value === 'sent' || value === 'failed' ? value : undefined;
}
