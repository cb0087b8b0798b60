import { stat } from 'node:fs/promises';
import { PHONE_NUMBER_PROBLEMS, readPhoneNumber } from '../../src/common/phone-number';
import { MAX_CODE_POINTS } from '../../src/gateway/send-input/send-limits';
import { fitToHeader, isNumberCell } from '../../src/common/csv/csv-format';
import { readCsv } from './csv-rows';
import type { Template } from './template';

export interface Contact {
  readonly line: number;
  readonly recipient: string;
  readonly message: string;
}

export interface InvalidRow {
  readonly line: number;
  readonly reason: string;
}

export const isInvalidRow = (entry: Contact | InvalidRow): entry is InvalidRow => 'reason' in entry;

const DEFAULT_COLUMNS = ['phone', 'recipient'];

/** Of a file without a header, which has nothing but numbers. */
const NUMBERS_COLUMN = 'number';

/** A CSV file of contacts, which is streamed. */
export class ContactList {
  private constructor(
    private readonly file: string,
    private readonly encoding: string | undefined,
    private readonly template: Template,
    /** Absent if each field is a number. */
    private readonly columns: readonly string[] | undefined,
    /** As written in the header. */
    readonly phoneColumn: string,
    private readonly version: string,
  ) {}

  /** @param encoding other than UTF-8 or UTF-16. @throws Error if the file is unreadable or lacks a column. */
  static async open(
    file: string,
    template: Template,
    column?: string,
    encoding?: string,
  ): Promise<ContactList> {
    const version = await versionOf(file);
    for await (const { fields } of readCsv(file, encoding)) {
      const isList = column === undefined && fields.every((field) => field === '' || isNumberCell(field));
      if (isList && template.columns.length === 0)
        return new ContactList(file, encoding, template, undefined, NUMBERS_COLUMN, version);
      const phoneColumn = column === undefined ? defaultColumn(fields) : columnNamed(column, fields);
      for (const name of template.columns) columnNamed(name, fields);
      return new ContactList(file, encoding, template, fields, phoneColumn, version);
    }
    throw new Error(`${file} is empty: its first line names the columns`);
  }

  /** @param onBytes receives the raw file in chunks. */
  async *read(onBytes?: (bytes: Buffer) => void): AsyncGenerator<Contact | InvalidRow> {
    const { columns } = this;
    const rows = readCsv(this.file, this.encoding, onBytes);
    if (!columns) {
      for await (const { line, fields } of rows)
        for (const field of fields) if (field !== '') yield this.contact(line, field, () => '');
      return;
    }
    const phone = columns.indexOf(this.phoneColumn);
    const places = new Map(
      this.template.columns.map((name) => [name, columns.indexOf(columnNamed(name, columns))]),
    );
    let isHeader = true;
    for await (const { line, fields } of rows) {
      if (!isHeader) yield this.readLine(line, fitToHeader(fields, columns), columns, phone, places);
      isHeader = false;
    }
  }

  /** @throws Error if the file has changed since it was opened. */
  async assertUnchanged(): Promise<void> {
    if ((await versionOf(this.file)) !== this.version)
      throw new Error(`${this.file} has changed since it was opened`);
  }

  private readLine(
    line: number,
    fields: readonly string[],
    columns: readonly string[],
    phone: number,
    places: ReadonlyMap<string, number>,
  ): Contact | InvalidRow {
    if (fields.length !== columns.length)
      return { line, reason: `has ${fields.length} columns, the header has ${columns.length}` };
    return this.contact(line, fields[phone] ?? '', (column) => fields[places.get(column) ?? -1] ?? '');
  }

  private contact(line: number, number: string, valueOf: (column: string) => string): Contact | InvalidRow {
    const { number: recipient, problem } = readPhoneNumber(number);
    if (problem !== undefined)
      return { line, reason: `${this.phoneColumn} "${number}" ${PHONE_NUMBER_PROBLEMS[problem]}` };
    const missing = this.template.columns.filter((column) => valueOf(column) === '');
    if (missing.length > 0) return { line, reason: `${missing.join(' and ')} is empty` };
    const message = this.template.fill(valueOf);
    const length = Array.from(message).length;
    if (length > MAX_CODE_POINTS)
      return { line, reason: `the message would have ${length} characters, ${MAX_CODE_POINTS} at most` };
    return { line, recipient, message };
  }
}

function defaultColumn(columns: readonly string[]): string {
  const found = DEFAULT_COLUMNS.flatMap((name) => matching(name, columns));
  if (found.length > 1)
    throw new Error(`--column is missing: ${found.join(' and ')} could contain the phone numbers`);
  const [column] = found;
  if (column !== undefined) return column;
  throw new Error(
    `--column is missing: no column is named ${DEFAULT_COLUMNS.join(' or ')}; ${listColumns(columns)}`,
  );
}

/** Ignores case. @throws Error unless exactly one column matches. */
function columnNamed(name: string, columns: readonly string[]): string {
  const [column, another] = matching(name, columns);
  if (column === undefined) throw new Error(`there is no column ${name}; ${listColumns(columns)}`);
  if (another !== undefined)
    throw new Error(`there is more than one column ${name}; ${listColumns(columns)}`);
  return column;
}

const matching = (name: string, columns: readonly string[]) =>
  columns.filter((column) => column.toLowerCase() === name.toLowerCase());

const listColumns = (columns: readonly string[]) => `the columns are ${columns.join(', ')}`;

async function versionOf(file: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(file);
  return [size, mtimeMs, ino].join(' ');
}
