import { parse } from 'papaparse';
import { normalizePhoneNumber } from '../../../../src/common/phone-number';
import { MAX_RECIPIENTS } from '../../../../src/gateway/sends/send-limits';

export const MAX_FILE_BYTES = 20_000_000;
export const MAX_COLUMNS = 100;

/** The delimiters of spreadsheets in different languages. */
const DELIMITERS = [',', ';', '\t'];

/** Fewer may be a house number or an age. */
const MIN_TELLING_DIGITS = 7;

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
  const utf16 = marks[0] === 0xff && marks[1] === 0xfe ? 'utf-16le' : marks[0] === 0xfe && 'utf-16be';
  const decoder = new TextDecoder(utf16 || encoding, { fatal: true });
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
 * Reads the rows of a CSV, without empty ones.
 * @param hasHeader whether the first row names the columns; by default, unless there is a number in it.
 * @throws UnreadableTable
 */
export function readTable(text: string, hasHeader?: boolean): Table {
  const input = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const found: TableRow[] = [];
  let [position, line] = [0, 1];
  let problem: UnreadableTable | undefined;
  parse<string[]>(input, {
    delimiter: delimiterOf(input),
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
      for (; position < meta.cursor; position += 1) if (input[position] === '\n') line += 1;
    },
  });
  if (problem) throw problem;
  const [first, ...rest] = found;
  if (!first) throw new UnreadableTable('empty');
  const isNamed = hasHeader ?? !first.fields.some(isTellingNumber);
  const rows = isNamed ? rest : found;
  if (rows.length > MAX_RECIPIENTS) throw new UnreadableTable('tooManyRows');
  if (rows.length === 0) throw new UnreadableTable('empty');
  const columns = first.fields.map((name, index) => (isNamed && name ? name : String(index + 1)));
  return { columns, hasHeader: isNamed, rows };
}

/** The column that most likely has the phone numbers. */
export function guessNumberColumn({ columns, rows }: Table): number {
  const sample = rows.slice(0, 100);
  const scores = columns.map(
    (name, column) =>
      sample.filter(({ fields }) => isTellingNumber(fields[column] ?? '')).length +
      // A name decides between columns of numbers.
      (NUMBER_NAMES.test(name) ? 0.5 : 0),
  );
  return scores.indexOf(Math.max(...scores));
}

const NUMBER_NAMES = /phone|recipient|mobile|cell|number|tel|handy|nummer|móvil|movil|número|numero/i;

function isTellingNumber(text: string): boolean {
  const number = normalizePhoneNumber(text);
  return number !== null && number.replace('+', '').length >= MIN_TELLING_DIGITS;
}

function delimiterOf(text: string): string {
  const [header = ''] = text.trimStart().split('\n', 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best));
}
