import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Fate } from './radio';
import { isRecord, readSmsCommand, type SmsCommand } from './wire';

/** What the phone knows of one message. Times are epoch milliseconds. */
export interface LedgerEntry {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly recipient: string;
  readonly pushReceivedAt: number;
  /** Kept until the message is on the air. */
  readonly command?: SmsCommand;
  /** Set from the moment the message is on the air. */
  readonly fate?: Fate;
  readonly sendAttemptedAt?: number;
  readonly sentAt?: number;
  readonly deliveredAt?: number;
  readonly failedAt?: number;
  /** The service asked not to send it before it was on the air: it never will be. */
  readonly cancelled?: true;
  /** The service took (or for good refused) the last report there will be: nothing is left to do. */
  readonly settled: boolean;
}

/** What may change in an entry once it is there. */
export type LedgerChange = Partial<
  Omit<LedgerEntry, 'smsId' | 'smsBatchId' | 'recipient' | 'pushReceivedAt'>
>;

export interface SentLedgerOptions {
  /** Where to keep the ledger, so that a phone that is restarted still knows. In memory only without it. */
  readonly file?: string;
  /** How many settled messages are remembered; the oldest are forgotten first. Default 100,000. */
  readonly limit?: number;
}

/**
 * The phone's memory of messages: what it accepted, what it has put on the air, what it has reported. A message is written
 * here before it is acknowledged and again before it goes on the air, so a phone that dies at any point loses none and
 * sends none twice. The file holds one entry a line, the last line of an id counts. It survives the death of the process;
 * it is not synced to disk, so not that of the machine.
 */
export class SentLedger {
  private readonly open = new Map<string, LedgerEntry>();
  private readonly settled = new Map<string, LedgerEntry>();
  private readonly limit: number;
  private descriptor: number | undefined;

  /** Reads the file, if there is one. @throws if it cannot be read or written. */
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

  /** The messages with something left to do, oldest first. */
  unfinished(): LedgerEntry[] {
    return [...this.open.values()];
  }

  accept(command: SmsCommand, pushReceivedAt: number): LedgerEntry {
    const { smsId, smsBatchId, recipients } = command;
    const entry = { smsId, smsBatchId, recipient: recipients[0], pushReceivedAt, command, settled: false };
    this.write(entry);
    return entry;
  }

  /** Notes that a message is never sent, also one that is not known yet and may still come. */
  cancel(smsId: string, at: number): void {
    const known = this.find(smsId) ?? { smsId, smsBatchId: '', recipient: '', pushReceivedAt: at };
    this.write({ ...known, command: undefined, cancelled: true, settled: true });
  }

  /** Changes the entry of a message; undefined if it is not (or no longer) known. */
  change(smsId: string, change: LedgerChange): LedgerEntry | undefined {
    const entry = this.find(smsId);
    if (entry === undefined) return undefined;
    const changed = { ...entry, ...change };
    this.write(changed);
    return changed;
  }

  /** Lets go of the file. The ledger can still be used; the next change opens the file again. */
  close(): void {
    if (this.descriptor === undefined) return;
    closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private write(entry: LedgerEntry): void {
    const { file } = this.options;
    if (file !== undefined) {
      this.descriptor ??= this.openFile(file);
      writeSync(this.descriptor, lineOf(entry));
    }
    this.remember(entry);
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

  /** Starts each run on a fresh file with one line an entry: it does not grow for ever, and a torn last line is gone. */
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

/** The entry on a line; undefined for a line that was torn when the phone died. */
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
    fate: readFate(value.fate),
    sendAttemptedAt: readTime(value.sendAttemptedAt),
    sentAt: readTime(value.sentAt),
    deliveredAt: readTime(value.deliveredAt),
    failedAt: readTime(value.failedAt),
    ...(value.cancelled === true && { cancelled: true }),
    settled,
  };
}

function readTime(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readFate(value: unknown): Fate | undefined {
  return value === 'delivered' || value === 'sent' || value === 'failed' ? value : undefined;
}
