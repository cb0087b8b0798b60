import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parse, type Info } from 'csv-parse';
import { csvFormatOf, utf16Of } from './csv-format';

/** @property line the line the row ends on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** In bytes. Otherwise an unclosed quote would make the rest of the file one field. */
const MAX_ROW_LENGTH = 100_000;

/**
 * Streams the rows of a CSV file, including the header, without empty ones.
 * @param encoding of the file, unless it is in UTF-16 with a mark.
 * @param onBytes receives the raw file in chunks.
 * @throws Error if the file is not CSV in this encoding.
 */
export async function* readCsv(
  file: string,
  encoding = 'utf-8',
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<CsvRow> {
  const start = await readStart(file);
  const actual = utf16Of(start) ?? encoding;
  const { delimiter, hasDelimiterLine } = csvFormatOf(new TextDecoder(actual).decode(start));
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_ROW_LENGTH,
  });
  const reading = pipeline(createReadStream(file), (bytes) => decode(file, actual, bytes, onBytes), parser);
  // The loop below fails with the same error.
  reading.catch(() => undefined);
  const rows = parser as AsyncIterable<{ record: string[]; info: Info }>;
  let isDelimiterLine = hasDelimiterLine;
  for await (const { record, info } of rows) {
    if (!isDelimiterLine) yield { line: info.lines, fields: record };
    isDelimiterLine = false;
  }
}

async function* decode(
  file: string,
  encoding: string,
  chunks: AsyncIterable<Buffer>,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const read = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new Error(
        encoding === 'utf-8'
          ? `${file} is not in UTF-8: save it as "CSV UTF-8", or name its encoding, such as --encoding windows-1251`
          : `${file} is not in ${encoding}`,
      );
    }
  };
  for await (const bytes of chunks) {
    onBytes?.(bytes);
    yield read(bytes);
  }
  yield read();
}

async function readStart(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(65_536) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
