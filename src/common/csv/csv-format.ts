import { readPhoneNumber } from '../phone-number';

/** What the command and the campaigns of the dashboard both know of CSV files. */

/** The delimiters of spreadsheets in different languages. */
const DELIMITERS = [',', ';', '\t'];

/** A first line with which a file tells Excel its delimiter. */
const DELIMITER_LINE = /^\ufeff?"?sep=([,;\t|])"?[,;\t ]*(?:\r\n?|\n|$)/i;

/** Fewer may be a house number or an age. */
const MIN_TELLING_DIGITS = 7;

/** Fewer may be a part of a number, where spaces stand between numbers. */
const MIN_WHOLE_DIGITS = 9;

/** Of files from before UTF-8, by what they were used for. */
export const OLD_ENCODINGS = [
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'koi8-r',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
] as const;

export type OldEncoding = (typeof OLD_ENCODINGS)[number];

export interface CsvFormat {
  readonly delimiter: string;
  /** Whether the first line names the delimiter, and is no row. */
  readonly hasDelimiterLine: boolean;
}

/** @param start of the file, with its first row at least. */
export function csvFormatOf(start: string): CsvFormat {
  const named = DELIMITER_LINE.exec(start)?.[1];
  if (named !== undefined) return { delimiter: named, hasDelimiterLine: true };
  const [header = ''] = start.trimStart().split(/[\r\n]/, 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best));
  return { delimiter, hasDelimiterLine: false };
}

/** Makes an empty line of the line that names the delimiter, so that lines keep their numbers. */
export const withoutDelimiterLine = (text: string): string => text.replace(DELIMITER_LINE, '\n');

/** The encoding of a file by its first bytes. @returns undefined unless it is UTF-16. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Whether a cell has a phone number, or what a spreadsheet made of one; not a name of a column. */
export function isNumberCell(text: string): boolean {
  const { number, problem } = readPhoneNumber(text);
  if (number !== undefined) return digitsIn(number) >= MIN_TELLING_DIGITS;
  return problem === 'scientific' || (problem === 'decimal' && digitsIn(text) >= MIN_TELLING_DIGITS);
}

/** Not the number of a customer, which may stand beside that of a phone. */
const isListedNumber = (text: string): boolean =>
  isNumberCell(text) && (/^[+0(]/.test(text) || digitsIn(text) >= MIN_WHOLE_DIGITS);

/** The numbers of a text that is one line of them, such as pasted recipients. @returns undefined for any other text. */
export function numbersOfLine(text: string): string[] | undefined {
  const line = text.trim();
  const separator = /[\r\n]/.test(line) ? undefined : numberSeparatorOf(line);
  return separator && partsOf(line, separator);
}

/** What separates the numbers of a line that has several, and nothing else. @returns undefined for any other line. */
export function numberSeparatorOf(line: string): RegExp | undefined {
  const parts = partsOf(line, BETWEEN_NUMBERS);
  if (parts.length > 1 && parts.every(isListedNumber)) return BETWEEN_NUMBERS;
  const words = partsOf(line, BETWEEN_WORDS);
  const areWhole = words.every((word) => isNumberCell(word) && digitsIn(word) >= MIN_WHOLE_DIGITS);
  return words.length > 1 && areWhole ? BETWEEN_WORDS : undefined;
}

const BETWEEN_NUMBERS = /[,;\t\n]/;
const BETWEEN_WORDS = /[,;\s]/;

const partsOf = (line: string, separator: RegExp): string[] =>
  line
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Gives a row the columns of the header if it differs only by empty fields at its end, which some programs write and others leave
 * out. @returns the row as it is if it has too many or too few fields.
 */
export function fitToHeader(fields: readonly string[], header: readonly string[]): readonly string[] {
  if (fields.length === header.length) return fields;
  if (filledLength(fields) > header.length || fields.length < filledLength(header)) return fields;
  return header.map((_, index) => fields[index] ?? '');
}

/** Without empty fields at the end. */
export const filledLength = (fields: readonly string[]): number =>
  fields.findLastIndex((field) => field !== '') + 1;

const digitsIn = (text: string): number => text.replace(/\D/g, '').length;
