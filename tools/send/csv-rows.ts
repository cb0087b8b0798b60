import { createReadStream } from 'node:fs';
import { csvFormatOf } from '../../src/common/csv/csv-format';
import { type CsvRecord, readRecords } from '../../src/common/csv/csv-records';
import { decodeText } from '../../src/common/csv/decode-text';
import { readStart } from '../../src/common/csv/text-start';
import { UnreadableCsv } from '../../src/common/csv/unreadable-csv';

/**
 * Streams the rows of a CSV file, including the header, without empty ones.
 * @param encoding of the file, unless it has a byte order mark.
 * @param onBytes receives the raw file in chunks.
 * @throws Error if the file is not CSV in this encoding.
 */
export async function* readCsv(
  file: string,
  encoding?: string,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<CsvRecord> {
  try {
    const { start, text } = await readStart(decodeText(chunksOf(file, onBytes), encoding));
    const { delimiter, hasDelimiterLine } = csvFormatOf(start);
    let isDelimiterLine = hasDelimiterLine;
    for await (const record of readRecords(text, delimiter)) {
      if (!isDelimiterLine) yield record;
      isDelimiterLine = false;
    }
  } catch (failure) {
    throw failure instanceof UnreadableCsv
      ? new Error(`${file} ${failure.problem}`, { cause: failure })
      : failure;
  }
}

async function* chunksOf(file: string, onBytes?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
    onBytes?.(bytes);
    yield bytes;
  }
}
