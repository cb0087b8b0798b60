import { isNationalNumber, splitInternational, withoutNationalPrefix } from './numbering-plan';

/** Why a text is not the phone number of one person. */
export type PhoneNumberProblem =
  'format' | 'decimal' | 'scientific' | 'date' | 'ipAddress' | 'several' | 'nationalPrefix';

export type PhoneNumberReading =
  | { readonly number: string; readonly problem?: undefined }
  | { readonly number?: undefined; readonly problem: PhoneNumberProblem };

/** What to do about each problem, to follow the text. */
export const PHONE_NUMBER_PROBLEMS: Readonly<Record<PhoneNumberProblem, string>> = {
  format: 'is not a phone number: 3 to 15 digits, with or without a leading +',
  decimal:
    'is a decimal number: remove the decimal places; in a spreadsheet, format the column of phone numbers as text',
  scientific:
    'is a number that a spreadsheet shortened: format the column of phone numbers as text, and enter the whole number',
  date: 'looks like a date: if it is a phone number, write it without separators',
  ipAddress: 'looks like an IP address: if it is a phone number, write it without dots',
  several: 'looks like several numbers, or one with an extension: each entry must be one phone number',
  nationalPrefix:
    'has a 0 after the country code that may not belong to the number: write it as it is dialled from abroad, such as +447700900123',
};

const PLAIN = /^\+?\d{3,15}$/;
const TOO_LONG = /\d{16}/;

/** Longer texts are no number in any spelling. */
const MAX_LENGTH = 200;

/** Invisible direction marks that contact apps and messengers put around numbers. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const DASH = /[\u2010-\u2015\u2212\u30fc\ufe63\uff0d]/g;
const WIDE = /[\uff08\uff09\uff0b\uff0e]/g;

const GROUP_IN_BRACKETS = String.raw`(?:\(\d{1,6}\)|\[\d{1,6}\])`;
const SEPARATOR = '(?: ?[-.] ?| )';
/** Groups of digits with separators between them; some in brackets, but not the last. */
const SPELLING = new RegExp(
  String.raw`^(?:\(\+ ?\d{1,6}\)|\[\+ ?\d{1,6}\]|\+? ?(?:\d+|${GROUP_IN_BRACKETS}))` +
    String.raw`(?:(?:${SEPARATOR}|(?<=[)\]]))\d+|${SEPARATOR}?${GROUP_IN_BRACKETS})*(?<=\d)$`,
);
const MAX_GROUPS_BEFORE_BRACKET = 2;

/** Behind the area code, as in Germany: `0151/12345678`. What stands in front is too short for a number of its own. */
const SLASH_AFTER_AREA = /^(0\d{1,5}|\(0\d{1,5}\)|\+\d{1,3}[ -]?(?:\(0\) ?)?\d{1,5}) ?\/ ?(?=\d[\d .-]{4,}$)/;

const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E[+-]?\d+$/i;
/** One or two decimal places of a number without other separators; only zeros, or one digit, of any number. */
const DECIMAL = /^\+?\d+[.,]\d{1,2}$|^\+?[\d .()-]*\d[.,](?:\d|0+)$/;
const IP_ADDRESS = /^[1-9]\d{0,2}(?:\.\d{1,3}){3}$/;
const SEVERAL = /\d{3}.*[/,;|&\t\n\r].*\d{2}|\d.*\+.*\d|\d ?(?:or|and) ?[+\d]|\d ?(?:x|ext)\.? ?\d/is;
/** A group of ten digits is a whole number: nothing follows it. */
const WHOLE_NUMBER_FIRST = /\d{10}\D+\d/;

/**
 * Reads a phone number as a person writes it: digits of any script in groups, with or without a leading + or 00. The national
 * prefix after a country code is removed.
 * @returns the number as it is dialled, 3 to 15 digits with or without a leading +, or why the text is not one number.
 */
export function readPhoneNumber(text: string): PhoneNumberReading {
  if (PLAIN.test(text)) return withoutPrefix(text);
  if (text.length > MAX_LENGTH) return { problem: 'format' };
  const spelling = unifySpelling(text);
  const problem = lookalike(spelling);
  if (problem) return { problem };
  if (!SPELLING.test(spelling) || hasLateBracket(spelling))
    return { problem: SEVERAL.test(spelling) ? 'several' : 'format' };
  const number = spelling.replace(/[^\d+]/g, '');
  if (WHOLE_NUMBER_FIRST.test(spelling)) return { problem: 'several' };
  if (!PLAIN.test(number))
    return { problem: TOO_LONG.test(number) && /\d\D+\d/.test(spelling) ? 'several' : 'format' };
  const reading = withoutPrefix(number, zeroOf(spelling));
  return reading.number !== undefined && hasExtension(reading.number, spelling)
    ? { problem: 'several' }
    : reading;
}

/**
 * Whether a number with + or 00 has a length or a beginning that no country with its calling code uses. Such a number may exist
 * nevertheless: countries add to their numbering plans.
 * @param number as `readPhoneNumber` returns it.
 */
export function isUnusualNumber(number: string): boolean {
  const [, digits] = /^(?:\+|00)(\d+)$/.exec(number) ?? [];
  if (digits === undefined) return false;
  const read = splitInternational(digits);
  return !read || !isNationalNumber(read.plans, read.national);
}

/**
 * The digits of a number or of a part of one, as somebody types it into a search, with separators anywhere.
 * @returns 3 to 15 digits with or without a leading +; null for any other text.
 */
export function typedDigits(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const spelling = unifySpelling(text);
  if (!/^[+\d .()[\]/-]*$/.test(spelling)) return null;
  const number = spelling.replace(/[^\d+]/g, '');
  return PLAIN.test(number) ? number : null;
}

/** Normalizes a phone number for storage. @returns null for what is not one number. */
export const normalizePhoneNumber = (text: string): string | null => readPhoneNumber(text).number ?? null;

/** With eleven digits: fewer without a + may be a national number. */
const INTERNATIONAL_WITH_ZERO = /^(?=\d{11})[1-9]\d{0,2}0/;

/** How the number is written if its second group of digits begins with a 0: `44 (0)7700`, or `44 07700`. */
function zeroOf(spelling: string): 'bracketed' | 'separate' | undefined {
  if (/^\D*\d{1,5}\D*[([]0[)\]]/.test(spelling)) return 'bracketed';
  return /^\D*\d{1,5}\D+0/.test(spelling) ? 'separate' : undefined;
}

function withoutPrefix(number: string, zero?: 'bracketed' | 'separate'): PhoneNumberReading {
  const [, sign = '', digits = ''] = /^(\+|00|)(\d*)$/.exec(number) ?? [];
  if (sign === '+' && digits.startsWith('0')) return { problem: 'nationalPrefix' };
  if (sign === '' && zero !== 'bracketed' && !INTERNATIONAL_WITH_ZERO.test(digits)) return { number };
  const read = withoutNationalPrefix(digits, zero);
  if (read !== undefined) return { number: sign + read };
  const isRefused = sign === '' ? zero === 'bracketed' : zero !== undefined;
  return isRefused ? { problem: 'nationalPrefix' } : { number };
}

/** Whether the number is whole without its last group of digits, and too long with it. */
function hasExtension(number: string, spelling: string): boolean {
  const [, sign, digits = ''] = /^(\+|00)(\d*)$/.exec(number) ?? [];
  const last = /\D(\d{1,4})$/.exec(spelling)?.[1];
  if (sign === undefined || last === undefined) return false;
  const read = splitInternational(digits);
  return (
    read !== undefined &&
    !isNationalNumber(read.plans, read.national) &&
    isNationalNumber(read.plans, read.national.slice(0, -last.length))
  );
}

function hasLateBracket(spelling: string): boolean {
  const before = spelling.slice(0, Math.max(spelling.lastIndexOf('('), spelling.lastIndexOf('['), 0));
  return (before.match(/\d+/g) ?? []).length > MAX_GROUPS_BEFORE_BRACKET;
}

function lookalike(text: string): PhoneNumberProblem | undefined {
  if (SCIENTIFIC.test(text)) return 'scientific';
  if (isDate(text)) return 'date';
  if (IP_ADDRESS.test(text) && text.split('.').every((part) => Number(part) <= 255)) return 'ipAddress';
  return DECIMAL.test(text) ? 'decimal' : undefined;
}

function isDate(text: string): boolean {
  const [, separator = '', ...parts] =
    /^(?=\d+([-./ ]))(\d{1,4})\1(\d{1,2})\1(\d{1,4})(?:[ T]\d{1,2}:.*)?$/.exec(text) ?? [];
  if (parts.length < 3) return false;
  const [first = '', second = '', third = ''] = parts;
  const isYear = (year: string) => /^(?:19|20)\d\d$/.test(year);
  const isShortYear = (year: string) => year.length === 2 && separator !== ' ';
  const areDayAndMonth = (day: string, month: string) =>
    [day, month].every((part) => part.length <= 2 && Number(part) >= 1 && Number(part) <= 31) &&
    Math.min(Number(day), Number(month)) <= 12;
  return isYear(first)
    ? areDayAndMonth(third, second)
    : (isYear(third) || isShortYear(third)) && areDayAndMonth(first, second);
}

/** With ASCII digits and separators, single spaces, and without what surrounds the number. */
function unifySpelling(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replace(DASH, '-')
    .replace(WIDE, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\P{Nd}\d]/gu, asciiDigit)
    .trim()
    .replace(/^tel: ?/i, '')
    .replace(/\p{Zs}+/gu, ' ')
    .replace(SLASH_AFTER_AREA, '$1 ');
}

/** Decimal digits of each script follow each other from 0 to 9. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
