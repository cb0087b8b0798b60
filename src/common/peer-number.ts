import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { isNationalNumber, readDialled, splitInternational } from './numbering-plan';
import { normalizePhoneNumber } from './phone-number';
import { truncateText } from './text/truncate-text';

/** ISO 3166-1 alpha-2, in capitals. */
export type Country = CountryCode;

export const COUNTRIES: readonly Country[] = getCountries();

const MAX_CHARACTERS = 256;

/** Shorter numbers without a + are short codes, although some countries have subscribers with fewer digits. */
const MIN_NATIONAL_DIGITS = 7;

/** Written without a +, a number with this many digits and the calling code of its country has no other reading. */
const MIN_DIGITS_WITH_CALLING_CODE = 12;

/** Fewer digits without a + may be a national number. */
const MIN_INTERNATIONAL_DIGITS = 11;

/** Numbers that are E.164 as they are: parsing takes 5 to 10 µs, a tenth of what sending takes. A test compares both. */
const PLAIN_E164 = /^\+(?:1[2-9]\d{9}|44[27]\d{9}|(?:3[0-49]|4[0135-9]|6[02-6]|9[0-58])[1-9]\d{5,12})$/;

/** @param text in any case, as phones report it. @returns undefined if it is not a country with phone numbers. */
export function parseCountry(text: string | undefined): Country | undefined {
  const country = text?.toUpperCase();
  return country !== undefined && isSupportedCountry(country) ? country : undefined;
}

export interface Phone {
  readonly simInfo?: {
    readonly sims: readonly { readonly subscriptionId: number; readonly countryIso?: string }[];
  };
}

/**
 * The country where a phone dials: the default country of its account, else that of the SIM, else of its first SIM.
 * @returns undefined if none is known.
 */
export function dialingCountry(
  account: { readonly defaultCountry?: string } | null | undefined,
  { simInfo }: Phone,
  subscriptionId?: number,
): Country | undefined {
  const sims = simInfo?.sims ?? [];
  const named = sims.find((sim) => sim.subscriptionId === subscriptionId);
  return parseCountry(account?.defaultCountry) ?? parseCountry((named ?? sims[0])?.countryIso);
}

/**
 * The comparable form of a number: E.164 if it can be read, in one spelling for each phone. Otherwise the digits as they are
 * dialled, such as those of a short code, or the text as given, such as a name; at most 256 characters. Applied to its result it
 * changes nothing.
 * @param country where numbers without a + are dialled. Without it, only those that are whole with a + in front are read.
 */
export function peerNumber(text: string, country?: Country): string {
  if (PLAIN_E164.test(text)) return joinSpellings(text);
  const number = normalizePhoneNumber(text);
  return number === null ? truncateText(text, MAX_CHARACTERS) : (readE164(number, country) ?? number);
}

/**
 * All forms that `peerNumber` may have of a number that somebody looks for, a + in front being optional.
 * @param countries where the number may have been dialled.
 */
export function peerNumberForms(text: string, countries: readonly Country[]): string[] {
  const number = normalizePhoneNumber(text);
  if (number === null) return [truncateText(text, MAX_CHARACTERS)];
  const digits = number.replace('+', '');
  return [...new Set([text, digits, `+${digits}`, peerNumber(`+${digits}`), ...readings(number, countries)])];
}

/** The forms of a number that are comparable to `peerNumber`: without a country, then in each of them. */
export function readings(text: string, countries: readonly Country[]): string[] {
  return [...new Set([undefined, ...countries].map((country) => peerNumber(text, country)))];
}

/** Whether a text is a number that is read by the country where it is dialled. */
export const isDialledInCountry = (text: string): boolean => /^\d/.test(normalizePhoneNumber(text) ?? '');

/** @param number normalized. @returns undefined if it cannot be read. */
function readE164(number: string, country: Country | undefined): string | undefined {
  if (PLAIN_E164.test(number)) return joinSpellings(number);
  if (number.startsWith('+')) return parse(number);
  const national = country && readNational(number, country);
  if (national !== undefined && isWhole(national)) return national;
  return readInternational(number) ?? national;
}

function readNational(number: string, country: Country): string | undefined {
  if (number.length < MIN_NATIONAL_DIGITS) return undefined;
  const dialled = readDialled(number, country);
  if (dialled !== undefined) return joinSpellings(dialled);
  const mayHaveCallingCode =
    number.length >= MIN_DIGITS_WITH_CALLING_CODE && number.startsWith(getCountryCallingCode(country));
  return (mayHaveCallingCode ? parse(`+${number}`) : undefined) ?? parse(number, country);
}

/** Reads a number that has a 00, or nothing, in place of the +. */
function readInternational(number: string): string | undefined {
  const digits = number.replace(/^00/, '');
  if (digits === number && number.length < MIN_INTERNATIONAL_DIGITS) return undefined;
  const read = joinSpellings(`+${digits}`);
  if (!isWhole(read)) return undefined;
  return PLAIN_E164.test(read) ? read : parse(read);
}

/** Whether a number in E.164 has a form that its country uses. */
function isWhole(number: string): boolean {
  const read = splitInternational(number.slice(1));
  if (!read || !isNationalNumber(read.plans, read.national)) return false;
  // The form of North American numbers is also that of Chinese mobile numbers without their country code; only areas differ.
  return (
    read.callingCode !== '1' || parsePhoneNumberFromString(number, { extract: false })?.isValid() === true
  );
}

function parse(text: string, defaultCountry?: Country): string | undefined {
  const number = joinSpellings(text);
  const parsed = parsePhoneNumberFromString(number, { defaultCountry, extract: false });
  // Not isValid: ranges may be newer than the library.
  if (!parsed?.isPossible()) return undefined;
  // Of several prefixes in front of a national number, such as zeros, the library removes one each time.
  return parsed.number === number ? number : (parse(parsed.number) ?? parsed.number);
}

/** Numbers of mobile phones that people and phones also write in another way; the present one for each. */
const JOINED: readonly (readonly [former: RegExp, present: string])[] = [
  // Mexico: the 1 of mobile numbers was abolished in 2019.
  [/^\+521(\d{10})$/, '+52$1'],
  // Argentina: the 9 of mobile numbers is left out by some, and 15 behind the area is its form inside the country.
  [/^\+54([1-3]\d{9})$/, '+549$1'],
  // Brazil: mobile numbers of eight digits got a 9 in front until 2016.
  [/^\+55([1-9]\d)([6-9]\d{7})$/, '+55$19$2'],
];

/** Gives a number in E.164 the spelling that all numbers of the same phone have. */
function joinSpellings(number: string): string {
  for (const [former, present] of JOINED) if (former.test(number)) return number.replace(former, present);
  return number;
}
