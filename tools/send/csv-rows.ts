import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parse, type Info } from 'csv-parse';

/** @property line the line the row ends on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The delimiters of spreadsheets in different languages. */
const DELIMITERS = [',', ';', '\t'];
/** In bytes. Otherwise an unclosed quote would make the rest of the file one field. */
const MAX_ROW_LENGTH = 100_000;

/**
 * Streams the rows of a CSV file, including the header, without empty ones.
 * @param onBytes receives the raw file in chunks.
 * @throws Error if the file is not CSV in UTF-8.
 */
export async function* readCsv(file: string, onBytes?: (bytes: Buffer) => void): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter: await findDelimiter(file),
    info: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_ROW_LENGTH,
  });
  const reading = pipeline(createReadStream(file), (bytes) => decode(file, bytes, onBytes), parser);
  // The loop below fails with the same error.
  reading.catch(() => undefined);
  const rows = parser as AsyncIterable<{ record: string[]; info: Info }>;
  for await (const { record, info } of rows) yield { line: info.lines, fields: record };
}

async function* decode(
  file: string,
  chunks: AsyncIterable<Buffer>,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const read = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new Error(`${file} is not in UTF-8: save it as "CSV UTF-8"`);
    }
  };
  for await (const bytes of chunks) {
    onBytes?.(bytes);
    yield read(bytes);
  }
  yield read();
}

async function findDelimiter(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(65_536) });
    const [header = ''] = buffer.toString('utf8', 0, bytesRead).split(/[\r\n]/, 1);
    const count = (delimiter: string) => header.split(delimiter).length;
    return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best));
  } finally {
    await handle.close();
  }
}
