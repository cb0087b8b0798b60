import { randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import Database from 'libsql';
import { RadioUnavailable } from '../radio-driver';
import type { ReceivedPart } from './received-parts';
import { encodeSms } from './sms-parts';
import type { SmsdConfig } from './smsd-config';

/** gammu-smsd compares with local times; this one is past in every time zone, and tells a row that no daemon has taken. */
const NEVER_TAKEN = '2000-01-01 00:00:00';
/** `GSM_MAX_MULTI_SMS` of gammu. */
export const MAX_PARTS = 50;
const LOCK_TIMEOUT_MS = 2_000;

export interface PhoneRow {
  readonly ageMs: number;
  /** UTC. */
  readonly updatedAt: string;
  readonly isSending: boolean;
  readonly imsi: string;
  readonly networkCode: string;
  readonly networkName: string;
  readonly battery: number;
  readonly signal: number;
  readonly client: string;
}

/** A part in `sentitems`. */
export interface SentPart {
  readonly creatorId: string;
  readonly status: string;
  readonly statusError: number;
  /** Epoch milliseconds of the last change. */
  readonly at: number;
}

export interface OutgoingSms {
  readonly id: string;
  readonly recipient: string;
  readonly text: string;
  readonly relativeValidity: number | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** The SQLite database of a gammu-smsd. Its methods throw RadioUnavailable. */
export class SmsdDatabase {
  /** Identifies the database file, as long as it exists. */
  readonly store: string;
  private readonly database: Database.Database;
  private readonly inode: number;

  constructor(private readonly config: SmsdConfig) {
    const file = config.database;
    // Opening would create it.
    if (!existsSync(file))
      throw new RadioUnavailable(`There is no database ${file}: create it for gammu-smsd first`);
    this.inode = statSync(file).ino;
    this.database = this.guard(() => new Database(file, { timeout: LOCK_TIMEOUT_MS }));
    this.store = this.guard(() => this.prepare());
  }

  /** Whether another file has taken its place. */
  get isReplaced(): boolean {
    return statSync(this.config.database, { throwIfNoEntry: false })?.ino !== this.inode;
  }

  /** @returns undefined if the daemon has never had a modem. */
  phone(): PhoneRow | undefined {
    const [row] = this.all(
      `SELECT (julianday('now') - julianday(UpdatedInDB)) * 86400000 AS age, UpdatedInDB, Send, IMSI, NetCode, NetName, Battery, Signal, Client
       FROM phones WHERE ID = ? ORDER BY UpdatedInDB DESC LIMIT 1`,
      this.config.phoneId,
    );
    if (row === undefined) return undefined;
    return {
      ageMs: number(row.age),
      updatedAt: text(row.UpdatedInDB),
      isSending: row.Send === 'yes',
      imsi: text(row.IMSI),
      networkCode: text(row.NetCode),
      networkName: text(row.NetName),
      battery: number(row.Battery),
      signal: number(row.Signal),
      client: text(row.Client),
    };
  }

  /** Writes a message and its parts at once; does nothing for a known id. */
  add({ id, recipient, text: message, relativeValidity = -1 }: OutgoingSms): void {
    this.transaction(() => {
      if (this.isKnown(id)) return;
      const [sequence] = this.all(`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`);
      const { coding, parts } = encodeSms(message, (number(sequence?.seq) + 1) % 256);
      const [first, ...others] = parts;
      if (first === undefined || parts.length > MAX_PARTS) throw new Error(`${parts.length} parts`);
      this.run(
        `INSERT INTO outbox (InsertIntoDB, SendingDateTime, SendingTimeOut, DestinationNumber, Coding, UDH, TextDecoded,
           MultiPart, RelativeValidity, SenderID, DeliveryReport, CreatorID)
         VALUES (datetime('now', 'localtime'), ?, ?, ?, ?, ?, ?, ?, ?, ?, 'yes', ?)`,
        NEVER_TAKEN,
        NEVER_TAKEN,
        recipient,
        coding,
        first.udh,
        first.text,
        String(others.length > 0),
        relativeValidity,
        this.config.phoneId,
        id,
      );
      const [row] = this.all('SELECT last_insert_rowid() AS id');
      for (const [index, part] of others.entries()) {
        this.run(
          `INSERT INTO outbox_multipart (ID, SequencePosition, Coding, UDH, TextDecoded) VALUES (?, ?, ?, ?, ?)`,
          number(row?.id),
          index + 2,
          coding,
          part.udh,
          part.text,
        );
      }
    });
  }

  /** The ids in `outbox`, and the parts in `sentitems`, at one moment. */
  lookUp(ids: readonly string[]): {
    readonly waiting: ReadonlySet<string>;
    readonly sent: readonly SentPart[];
  } {
    const marks = ids.map(() => '?').join(', ');
    return this.transaction(
      () => ({
        waiting: new Set(
          this.all(`SELECT CreatorID FROM outbox WHERE CreatorID IN (${marks})`, ...ids).map((row) =>
            text(row.CreatorID),
          ),
        ),
        sent: this.all(
          `SELECT CreatorID, Status, StatusError, CAST(strftime('%s', UpdatedInDB) AS INTEGER) AS at FROM sentitems
         WHERE CreatorID IN (${marks}) ORDER BY ID, SequencePosition`,
          ...ids,
        ).map((row) => ({
          creatorId: text(row.CreatorID),
          status: text(row.Status),
          statusError: number(row.StatusError),
          at: number(row.at) * 1_000,
        })),
      }),
      'deferred',
    );
  }

  /** Takes back a message that no daemon has taken. @returns whether it will not be sent. */
  withdraw(id: string): boolean {
    return this.transaction(() => {
      const removed = this.all(
        'DELETE FROM outbox WHERE CreatorID = ? AND SendingTimeOut = ? RETURNING ID',
        id,
        NEVER_TAKEN,
      );
      this.removeParts(removed);
      return removed.length > 0 || !this.isKnown(id);
    });
  }

  /**
   * Takes back messages that a daemon was sending when it died: the next one would send them again when their lock ends.
   * @returns their ids.
   */
  withdrawInterrupted(ids: readonly string[]): string[] {
    const marks = ids.map(() => '?').join(', ');
    const interrupted = `CreatorID IN (${marks}) AND SendingTimeOut <> ?
      AND datetime(SendingTimeOut, ?) < (SELECT max(InsertIntoDB) FROM phones WHERE ID = ?)`;
    const values = [...ids, NEVER_TAKEN, `-${this.config.lockSeconds} seconds`, this.config.phoneId];
    if (this.all(`SELECT ID FROM outbox WHERE ${interrupted}`, ...values).length === 0) return [];
    return this.transaction(() => {
      const removed = this.all(`DELETE FROM outbox WHERE ${interrupted} RETURNING ID, CreatorID`, ...values);
      this.removeParts(removed);
      return removed.map((row) => text(row.CreatorID));
    });
  }

  /** Received parts that are not processed, oldest first. */
  received(): { readonly parts: ReceivedPart[]; readonly binaries: readonly number[] } {
    const rows = this.all(
      `SELECT ID, SenderNumber, Text, UDH, Coding, ReceivingDateTime,
         (julianday('now') - julianday(UpdatedInDB)) * 86400000 AS age
       FROM inbox WHERE RecipientID = ? AND Processed = 'false' ORDER BY ID LIMIT 500`,
      this.config.phoneId,
    );
    const isText = (row: Row): boolean => row.Coding !== '8bit';
    return {
      binaries: rows.filter((row) => !isText(row)).map((row) => number(row.ID)),
      parts: rows.filter(isText).map((row) => {
        const ageMs = number(row.age);
        const receivedAt = new Date(text(row.ReceivingDateTime).replace(' ', 'T')).getTime();
        return {
          id: number(row.ID),
          sender: text(row.SenderNumber),
          // `TextDecoded` of the first part has the whole message, and that of the others nothing.
          text: Buffer.from(text(row.Text), 'hex').swap16().toString('utf16le'),
          udh: text(row.UDH),
          receivedAt: Number.isNaN(receivedAt) ? 0 : receivedAt,
          ageMs,
        };
      }),
    };
  }

  /** @param as `true`, or why it was not uploaded. */
  markProcessed(ids: readonly number[], as: 'true' | 'refused' | 'binary'): void {
    if (ids.length === 0) return;
    this.run(`UPDATE inbox SET Processed = ? WHERE ID IN (${ids.map(() => '?').join(', ')})`, as, ...ids);
  }

  close(): void {
    this.database.close();
  }

  private prepare(): string {
    // Else a read keeps gammu-smsd 1.42 from writing. It does not wait for a lock, and one that it misses while it
    // stores a delivery report crashes it.
    this.all('PRAGMA journal_mode = WAL');
    for (const [name, columns] of INDEXES)
      this.run(`CREATE INDEX IF NOT EXISTS messaging_gateway_${name} ON ${columns}`);
    const [row] = this.all('PRAGMA user_version');
    const version = number(row?.user_version);
    if (version !== 0) return `smsd-${version}`;
    const fresh = randomInt(1, 2 ** 31);
    this.database.exec(`PRAGMA user_version = ${fresh}`);
    return `smsd-${fresh}`;
  }

  private isKnown(id: string): boolean {
    const query =
      'SELECT 1 FROM outbox WHERE CreatorID = ? UNION ALL SELECT 1 FROM sentitems WHERE CreatorID = ?';
    return this.all(query, id, id).length > 0;
  }

  private removeParts(removed: readonly Row[]): void {
    for (const row of removed) this.run('DELETE FROM outbox_multipart WHERE ID = ?', number(row.ID));
  }

  private all(sql: string, ...values: readonly (string | number)[]): Row[] {
    return this.guard(() => this.database.prepare(sql).all(...values) as Row[]);
  }

  private run(sql: string, ...values: readonly (string | number)[]): void {
    this.guard(() => this.database.prepare(sql).run(...values));
  }

  private transaction<Result>(work: () => Result, kind: 'immediate' | 'deferred' = 'immediate'): Result {
    return this.guard(() => this.database.transaction(work)[kind]());
  }

  private guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof RadioUnavailable) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new RadioUnavailable(`The database ${this.config.database} cannot be used: ${reason}`);
    }
  }
}

const INDEXES = [
  ['outbox', 'outbox(CreatorID)'],
  ['sentitems', 'sentitems(CreatorID)'],
  ['inbox', 'inbox(RecipientID, Processed)'],
] as const;

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : 0;
}
