import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import type { CsvRecord } from '../../common/csv/csv-records';
import { UnreadableCsv } from '../../common/csv/unreadable-csv';
import { MINUTE_MS } from '../../common/durations';
import { mapInSlices } from '../../common/slices';
import { AccountCountries } from '../../devices/account-countries.service';
import {
  ImportFileUnreadable,
  ImportInterrupted,
  ImportRunning,
  MAX_IMPORT_ROWS,
} from '../store/import.errors';
import type { ImportOptions } from './import-options';
import type { Import, StoredColumn } from '../store/import.schema';
import type { ImportRow } from '../store/import-row.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportsRepository } from '../store/imports.repository';
import { type Column, targetText } from '../reading/column-target';
import { readFileRows } from '../reading/file-rows';
import { readContactRow, type ReadRow } from '../rows/contact-entry';
import { readOptOutRow } from '../rows/opt-out-entries';
import { ImportList } from './import-list.service';

/** Rows that are stored together, unless they are long. */
const ROWS_PER_WRITE = 500;
const CHARACTERS_PER_WRITE = 500_000;

/** An upload of which nothing was stored for this long is given up. */
export const READING_LEASE_MS = 3 * MINUTE_MS;

const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, refused: 0 };

/** Reads an uploaded file, and stores its rows. Nothing is applied before the whole file is stored. */
@Injectable()
export class FileStager {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly lists: ImportList,
    private readonly countries: AccountCountries,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the rows of a file, of any length, as fast as the database takes them.
   * @param file its bytes.
   * @returns the import, whose rows are ready to be applied.
   * @throws ImportRunning, ImportFileUnreadable, ImportInterrupted, ListNotFound, ListIsSegment, ListLimitReached, and what reading the
   * bytes throws. Then nothing is left.
   */
  async stage(
    account: AccountScope,
    file: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ): Promise<Import> {
    if (options.list) await this.lists.check(account, options.list);
    const started = this.newImport(account, options);
    if (!(await this.imports.begin(started))) throw new ImportRunning();
    try {
      return await this.read(account, started, file, options);
    } catch (failure) {
      await this.rows.removeAll(started);
      await this.imports.remove(started);
      throw failure instanceof UnreadableCsv ? new ImportFileUnreadable(failure.problem) : failure;
    }
  }

  private newImport({ user }: AccountScope, options: ImportOptions): Import {
    const { kind, fileName, tags, onExisting, topic } = options;
    const now = this.clock.now();
    return {
      ...{ _id: new Types.ObjectId(), user, kind, state: 'reading', open: true },
      ...{ createdAt: now, updatedAt: now, dueAt: this.leaseEnd() },
      ...(fileName !== undefined && { fileName }),
      ...(tags && tags.length > 0 && { tags: [...tags] }),
      ...(onExisting && { onExisting }),
      ...(topic !== undefined && { topic }),
      ...{ rowCount: 0, appliedRows: 0, counts: NO_COUNTS },
    };
  }

  private async read(
    account: AccountScope,
    started: Import,
    file: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ): Promise<Import> {
    const hash = createHash('sha256');
    const doPart = this.turns.parts(account);
    const [country] = await this.countries.listAll(account);
    const { columns, records } = await readFileRows(hashed(file, hash), options);
    const stored = columns.map(toStoredColumn);
    let rowCount = 0;
    const readRow = (record: CsvRecord) =>
      options.kind === 'contacts'
        ? [readContactRow(record, columns, country)]
        : readOptOutRow(record, columns, country);
    const store = async (batch: readonly CsvRecord[]) => {
      const read = await mapInSlices(batch, (record) =>
        readRow(record).map((each) => ({ ...each, line: record.line })),
      );
      const rows = read.flat().map((each, index) => newRow(started, rowCount + index, each));
      rowCount += rows.length;
      // First, so that no row of an upload that was given up is stored.
      const progress = { columns: stored, rowCount, ...this.renewal() };
      if (!(await this.imports.recordRead(started, progress))) throw new ImportInterrupted();
      await this.rows.insert(rows);
    };
    for await (const batch of batchesOf(records)) await doPart(() => store(batch));
    if (rowCount === 0) throw new UnreadableCsv('is empty');
    const list = options.list && (await this.lists.resolve(account, options.list));
    const now = this.clock.now();
    const staged = {
      ...{ columns: stored, rowCount, fileHash: hash.digest('hex'), dueAt: now, updatedAt: now },
      ...(list && { list }),
    };
    if (!(await this.imports.startApplying(started, staged))) throw new ImportInterrupted();
    return Object.assign(started, staged, { state: 'applying' as const });
  }

  private renewal() {
    return { dueAt: this.leaseEnd(), updatedAt: this.clock.now() };
  }

  private leaseEnd(): Date {
    return new Date(this.clock.now().getTime() + READING_LEASE_MS);
  }
}

async function* hashed(file: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of file) {
    hash.update(chunk);
    yield chunk;
  }
}

/** @throws UnreadableCsv if there are too many rows. */
async function* batchesOf(records: AsyncIterable<CsvRecord>): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = [];
  let characters = 0;
  let count = 0;
  for await (const record of records) {
    count += 1;
    if (count > MAX_IMPORT_ROWS)
      throw new UnreadableCsv(`has more than ${MAX_IMPORT_ROWS} rows: split it into several files`);
    batch.push(record);
    for (const field of record.fields) characters += field.length;
    if (batch.length < ROWS_PER_WRITE && characters < CHARACTERS_PER_WRITE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function newRow({ _id, user }: Import, row: number, read: ReadRow & { readonly line: number }): ImportRow {
  return {
    ...{ _id: new Types.ObjectId(), user, import: _id, row, line: read.line },
    ...(read.entry
      ? { entry: read.entry }
      : { refusal: read.refusal, refusedRow: row, outcome: 'refused', numbers: [...read.numbers] }),
  };
}

const toStoredColumn = ({ header, target }: Column): StoredColumn => ({
  header,
  target: targetText(target),
});
