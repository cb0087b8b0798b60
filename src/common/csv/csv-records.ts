import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { UnreadableCsv } from './unreadable-csv';

/** @property line the line that the record begins on, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** In bytes. Otherwise a quote that is not closed would make the rest of the file one field. */
const MAX_RECORD_BYTES = 100_000;

/**
 * Reads the records of a CSV, without empty ones. Fields are trimmed; a row may have any number of them.
 * @param text as `decodeText` yields it.
 * @throws UnreadableCsv for a record that does not end.
 */
export async function* readRecords(
  text: AsyncIterable<string> | Iterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  let line = 1;
  const parser = parse({
    delimiter,
    record_delimiter: '\n',
    ltrim: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record: (fields, { lines }) => {
      // The types of the parser know records of texts only.
      const numbered = [String(line), ...fields.map(cleaned)];
      // It counts up to the line on which the record ends.
      line = lines + 1;
      return numbered;
    },
  });
  const reading = pipeline(text, parser);
  // The loop below fails with the same error.
  reading.catch(() => undefined);
  try {
    for await (const [begin, ...fields] of parser as AsyncIterable<string[]>)
      if (fields.some((field) => field !== '')) yield { line: Number(begin), fields };
  } catch (failure) {
    if (failure instanceof CsvError) throw new UnreadableCsv(problemOf(failure, line));
    throw failure;
  }
}

/** The parser takes quotation marks that spaces follow for a part of the field. */
function cleaned(field: string): string {
  const text = field.trim();
  return /^"[^]*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function problemOf({ code }: CsvError, line: number): string {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? `has a quotation mark on line ${line} that is not closed`
    : `has a row on line ${line} that is longer than ${MAX_RECORD_BYTES} bytes: a quotation mark may not be closed`;
}
