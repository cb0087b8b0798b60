import { csvFormatOf, filledLength, numberSeparatorOf } from '../../common/csv/csv-format';
import { type CsvRecord, readRecords } from '../../common/csv/csv-records';
import { decodeText } from '../../common/csv/decode-text';
import { readStart, type StartedText } from '../../common/csv/text-start';
import { UnreadableCsv } from '../../common/csv/unreadable-csv';
import type { Column } from './column-target';
import { type ColumnOptions, mapColumns } from './map-columns';

export interface FileOptions extends ColumnOptions {
  /** Of a file without a byte order mark; by default UTF-8. */
  readonly encoding?: string;
}

export interface FileRows {
  readonly columns: readonly Column[];
  /** Without the header; read them once. */
  readonly records: AsyncGenerator<CsvRecord>;
}

/** Lines that tell whether a file is a list of numbers. */
const TELLING_LINES = 20;

/** So much of a line tells whether it is a list of numbers. */
const TELLING_LENGTH = 2_000;

/**
 * Reads the rows of a file of people, as spreadsheets and address books write it, or of a list of numbers, such as one pasted line.
 * @throws UnreadableCsv, also while the rows are read.
 */
export async function readFileRows(
  chunks: AsyncIterable<Uint8Array>,
  options: FileOptions,
): Promise<FileRows> {
  const started = await readStart(decodeText(chunks, options.encoding));
  const separator = options.hasHeader || options.targets ? undefined : separatorOfList(started);
  if (separator)
    return {
      columns: [{ header: '1', target: { to: 'number' } }],
      records: readList(started.text, separator),
    };
  const { delimiter, hasDelimiterLine } = csvFormatOf(started.start);
  const records = readRecords(started.text, delimiter);
  try {
    if (hasDelimiterLine) await records.next();
    const [first, second] = [await nextOf(records), await nextOf(records)];
    if (!first) throw new UnreadableCsv('is empty');
    const { columns, hasHeader } = mapColumns(withoutEmptyEnd(first.fields), second?.fields, options);
    if (hasHeader && !second) throw new UnreadableCsv('has no rows below the names of its columns');
    return { columns, records: again([...(hasHeader ? [] : [first]), ...(second ? [second] : [])], records) };
  } catch (failure) {
    await records.return(undefined);
    throw failure;
  }
}

/** Whether all lines at the start have nothing but numbers, and one of them several. */
function separatorOfList({ start, isWhole }: StartedText): RegExp | undefined {
  const lines = start.split('\n').filter((line) => line.trim() !== '');
  // The last one may be incomplete.
  const complete = isWhole || lines.length === 1 ? lines : lines.slice(0, -1);
  const separators = complete.slice(0, TELLING_LINES).map((line) => numberSeparatorOf(withoutLastPart(line)));
  const [separator] = separators;
  return separators.every((each) => each === separator) ? separator : undefined;
}

const withoutLastPart = (line: string): string =>
  line.length > TELLING_LENGTH ? line.slice(0, TELLING_LENGTH).replace(/[^,;\s]+$/, '') : line;

async function* readList(text: AsyncGenerator<string>, separator: RegExp): AsyncGenerator<CsvRecord> {
  let line = 1;
  let rest = '';
  const recordOf = (part: string): CsvRecord[] => {
    const number = part.trim();
    return number === '' ? [] : [{ line, fields: [number] }];
  };
  for await (const piece of text) {
    for (const [index, part] of (rest + piece).split('\n').entries()) {
      if (index > 0) {
        yield* recordOf(rest);
        line += 1;
      }
      const parts = part.split(separator);
      rest = parts.pop() ?? '';
      for (const each of parts) yield* recordOf(each);
    }
    if (rest.length > TELLING_LENGTH) throw new UnreadableCsv(`has no list of numbers on line ${line}`);
  }
  yield* recordOf(rest);
}

const withoutEmptyEnd = (fields: readonly string[]): readonly string[] =>
  fields.slice(0, filledLength(fields));

async function nextOf(records: AsyncGenerator<CsvRecord>): Promise<CsvRecord | undefined> {
  const next = await records.next();
  return next.done ? undefined : next.value;
}

async function* again(
  first: readonly CsvRecord[],
  rest: AsyncGenerator<CsvRecord>,
): AsyncGenerator<CsvRecord> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
