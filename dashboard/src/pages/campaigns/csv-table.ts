import { parse } from 'papaparse';
import { MAX_RECIPIENTS } from '../../../../src/gateway/send-input/send-limits';
import {
  csvFormatOf,
  filledLength,
  fitToHeader,
  isNumberCell,
  numbersOfLine,
  utf16Of,
  withoutDelimiterLine,
} from '../../../../src/common/csv/csv-format';

export const MAX_FILE_BYTES = 20_000_000;
export const MAX_COLUMNS = 100;

/** @property line the line that the row begins on, from 1. */
export interface TableRow {
  readonly line: number;
  readonly fields: readonly string[];
}

export interface Table {
  /** Their positions if the table has no header. */
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  readonly rows: readonly TableRow[];
}

export type TableProblem =
  'tooLarge' | 'tooManyRows' | 'tooManyColumns' | 'empty' | 'noText' | 'notUtf8' | 'openQuote';

/** A file or text that cannot be used as a whole. */
export class UnreadableTable extends Error {
  constructor(
    readonly problem: TableProblem,
    /** The line at which it was noticed. */
    readonly line?: number,
  ) {
    super(problem);
  }
}

/**
 * Reads a text file as a stream.
 * @param encoding that of the file, if it is not known by its first bytes. @throws UnreadableTable
 */
export async function readText(file: Blob, encoding = 'utf-8'): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new UnreadableTable('tooLarge');
  const marks = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const decoder = new TextDecoder(utf16Of(marks) ?? encoding, { fatal: true });
  const reader = file.stream().getReader();
  let text = '';
  for (let part = await reader.read(); ; part = await reader.read()) {
    try {
      text += decoder.decode(part.value, { stream: !part.done });
    } catch {
      throw new UnreadableTable(text.includes('\0') ? 'noText' : 'notUtf8');
    }
    // Spreadsheets that are not CSV, and pictures.
    if (text.startsWith('PK\u0003') || text.includes('\0')) throw new UnreadableTable('noText');
    if (part.done) return text;
  }
}

/**
 * Reads the rows of a CSV, without empty ones. Numbers on one line, or on lines of nothing else, are a row each.
 * @param hasHeader whether the first row names the columns; by default, unless there is a number in it.
 * @throws UnreadableTable
 */
export function readTable(text: string, hasHeader?: boolean): Table {
  const input = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const numbers = hasHeader ? undefined : numbersOfLine(input);
  if (numbers) return listOf(numbers.map((number) => ({ line: 1, fields: [number] })));
  const found: TableRow[] = [];
  let [position, line] = [0, 1];
  let problem: UnreadableTable | undefined;
  const { delimiter, hasDelimiterLine } = csvFormatOf(input);
  const rowText = hasDelimiterLine ? withoutDelimiterLine(input) : input;
  parse<string[]>(rowText, {
    delimiter,
    newline: '\n',
    step: ({ data, errors, meta }, parser) => {
      const fields = data.map((field) => field.trim());
      if (errors.some(({ code }) => code === 'MissingQuotes'))
        problem = new UnreadableTable('openQuote', line);
      else if (fields.length > MAX_COLUMNS) problem = new UnreadableTable('tooManyColumns', line);
      else if (fields.some((field) => field !== '')) found.push({ line, fields });
      // With a header.
      if (found.length > MAX_RECIPIENTS + 1) problem = new UnreadableTable('tooManyRows', line);
      if (problem) parser.abort();
      for (; position < meta.cursor; position += 1) if (rowText[position] === '\n') line += 1;
    },
  });
  if (problem) throw problem;
  const [first, ...rest] = found;
  if (!first) throw new UnreadableTable('empty');
  const isNamed = hasHeader ?? !first.fields.some(isNumberCell);
  const rows = isNamed ? rest : found;
  if (rows.length > MAX_RECIPIENTS) throw new UnreadableTable('tooManyRows');
  if (rows.length === 0) throw new UnreadableTable('empty');
  const dialled = isNamed ? [] : numbersOf(rows);
  if (dialled.length > rows.length) return listOf(dialled);
  // A delimiter at the end of each row makes no column.
  const width = Math.max(...found.map(({ fields }) => Math.min(filledLength(fields), first.fields.length)));
  const columns = first.fields
    .slice(0, width)
    .map((name, index) => (isNamed && name ? name : String(index + 1)));
  const fitted = rows.map(({ line: at, fields }) => ({ line: at, fields: fitToHeader(fields, columns) }));
  return { columns, hasHeader: isNamed, rows: fitted };
}

function listOf(rows: readonly TableRow[]): Table {
  if (rows.length > MAX_RECIPIENTS) throw new UnreadableTable('tooManyRows');
  return { columns: ['1'], hasHeader: false, rows };
}

/** The numbers of rows that have nothing else, not even other numbers: those would not begin with + or 0. */
function numbersOf(rows: readonly TableRow[]): TableRow[] {
  const numbers = rows.flatMap(({ line, fields }) =>
    fields.filter((field) => field !== '').map((field) => ({ line, fields: [field] })),
  );
  return numbers.every(({ fields: [field = ''] }) => /^[+0(]/.test(field) && isNumberCell(field))
    ? numbers
    : [];
}

/** The column that most likely has the phone numbers. */
export function guessNumberColumn({ columns, rows }: Table): number {
  const sample = rows.slice(0, 100);
  const scores = columns.map(
    (name, column) =>
      sample.filter(({ fields }) => isNumberCell(fields[column] ?? '')).length +
      // A name decides between columns of numbers.
      (NUMBER_NAMES.test(name) ? 0.5 : 0),
  );
  return scores.indexOf(Math.max(...scores));
}

const NUMBER_NAMES = /phone|recipient|mobile|cell|number|tel|handy|nummer|móvil|movil|número|numero/i;
