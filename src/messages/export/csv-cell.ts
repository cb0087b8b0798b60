import { normalizePhoneNumber } from '../../common/phone-number';

/** Spreadsheets read the file as UTF-8 only with it. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Spreadsheets take a text that begins so for a formula; the wide forms are those of Asian keyboards. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell with a text that spreadsheets show but never evaluate: one that looks like a formula begins with `'`. Removing
 * one `'` before such a beginning gives back the text.
 */
export const textCell = (text = ''): string => quote(FORMULA.test(text) ? `'${text}` : text);

/** A cell with a phone number, whose + stays as it is; anything else, such as a sender's name, is a text. */
export const numberCell = (text = ''): string =>
  normalizePhoneNumber(text) === text ? text : textCell(text);

export const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

/** Quotes a cell by RFC 4180. */
function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
