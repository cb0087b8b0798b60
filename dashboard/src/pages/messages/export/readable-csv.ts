import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { parse, unparse } from 'papaparse';

/** A line of the export of the API, by the names of its columns. */
export type ExportedMessage = Readonly<Record<string, string>>;

/** A column that people read: its title, and what it says of a message. */
export type Column = readonly [title: string, cell: (message: ExportedMessage) => string];

/** Spreadsheets read the file as UTF-8 only with it. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Rewrites the export of the API with other columns, part by part, so that the page stays usable.
 * @param delimiter what spreadsheets of the language expect between cells.
 */
export async function readableCsv(file: Blob, columns: readonly Column[], delimiter: string): Promise<Blob> {
  const lineOf = (cells: string[]) => `${unparse([cells], { delimiter })}\r\n`;
  const written = [BYTE_ORDER_MARK + lineOf(columns.map(([title]) => title))];
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let names: string[] | undefined;
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    rest += part.value;
    const end = endOfLines(rest);
    const rows = parse<string[]>(rest.slice(0, end), { delimiter: ',', skipEmptyLines: true }).data;
    rest = rest.slice(end);
    names ??= rows.shift();
    const messages = rows.map((cells): ExportedMessage =>
      Object.fromEntries(cells.map((cell, index) => [names?.[index] ?? '', cell])),
    );
    written.push(messages.map((message) => lineOf(columns.map(([, cell]) => cell(message)))).join(''));
  }
  return new Blob(written, { type: 'text/csv;charset=utf-8' });
}

/** Where the last complete line ends. A line break with an odd number of quotes before it is part of a text. */
function endOfLines(text: string): number {
  let end = text.length;
  do end = text.lastIndexOf('\r\n', end - 1);
  while (end > 0 && (text.slice(0, end).split('"').length - 1) % 2 === 1);
  return end < 0 ? 0 : end + 2;
}

/** Groups the digits of a number: spreadsheets would make one without spaces a calculation. */
export const readableNumber = (number: string): string =>
  parsePhoneNumberFromString(number)?.formatInternational() ?? number;

/** A time such as `2026-01-31 09:05:00`, which spreadsheets of all languages read as one. */
export function readableTime(time: string, timeZone: string): string {
  if (time === '') return '';
  // Swedish writes dates this way.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
    new Date(time),
  );
}
