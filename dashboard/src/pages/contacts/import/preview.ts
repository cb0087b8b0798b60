import { parse } from 'papaparse';
import {
  csvFormatOf,
  numbersOfLine,
  utf16Of,
  withoutDelimiterLine,
} from '../../../../../src/common/csv/csv-format';
import { problemOfKind } from '../../../../../src/common/csv/file-kind';
import type { Column } from '../../../../../src/contact-imports/reading/column-target';
import { guessColumns, MAX_COLUMNS } from '../../../../../src/contact-imports/reading/map-columns';

import { type Preview, UnreadableFile } from './preview-problem';

/** So much of a file is read before it is uploaded. */
const PREVIEW_BYTES = 64_000;
const PREVIEW_ROWS = 5;

/**
 * Reads the beginning of a file.
 * @param encoding of a file that is not in Unicode. @param hasHeader by default, unless there is a number in the first row.
 * @throws UnreadableFile
 */
export async function readPreview(file: Blob, encoding?: string, hasHeader?: boolean): Promise<Preview> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  if (problemOfKind(bytes) !== undefined) throw new UnreadableFile('noText');
  const isWhole = file.size <= PREVIEW_BYTES;
  const text = decode(bytes, utf16Of(bytes) ?? encoding ?? 'utf-8', isWhole);
  const numbers = hasHeader ? undefined : numbersOfLine(text);
  if (numbers) {
    const columns: Column[] = [{ header: '1', target: { to: 'number' } }];
    const rows = numbers.slice(0, PREVIEW_ROWS).map((number) => [number]);
    return { columns, hasHeader: false, isList: true, rows };
  }
  const rows = rowsOf(text);
  const [first, second] = rows;
  if (!first) throw new UnreadableFile('empty');
  if (first.length > MAX_COLUMNS) throw new UnreadableFile('tooManyColumns');
  const map = guessColumns(first, second, hasHeader === undefined ? {} : { hasHeader });
  const shown = map.hasHeader ? rows.slice(1) : rows;
  if (shown.length === 0) throw new UnreadableFile('empty');
  return { ...map, isList: false, rows: shown.slice(0, PREVIEW_ROWS) };
}

function decode(bytes: Uint8Array<ArrayBuffer>, encoding: string, isWhole: boolean): string {
  let text: string;
  try {
    // The preview may end within a character.
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    throw new UnreadableFile('notUtf8');
  }
  if (text.includes('\0')) throw new UnreadableFile('noText');
  return text.replace(/\r\n?/g, '\n');
}

function rowsOf(text: string): string[][] {
  const { delimiter, hasDelimiterLine } = csvFormatOf(text);
  const { data } = parse<string[]>(hasDelimiterLine ? withoutDelimiterLine(text) : text, {
    delimiter,
    newline: '\n',
    preview: 2 * PREVIEW_ROWS + 2,
  });
  return data
    .map((fields) => fields.map((field) => field.trim()))
    .filter((fields) => fields.some((field) => field !== ''));
}
