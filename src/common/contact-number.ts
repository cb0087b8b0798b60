import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
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
 * The comparable form of a number: E.164 if it can be read, else the text as given, such as a short code, a name or a number
 * without a + if `country` is undefined; at most 256 characters.
 * @param country where numbers without a + are dialled.
 */
export function contactNumber(text: string, country?: Country): string {
  if (PLAIN_E164.test(text)) return text;
  const number = normalizePhoneNumber(text);
  return (number === null ? undefined : readE164(number, country)) ?? truncateText(text, MAX_CHARACTERS);
}

/**
 * All forms that `contactNumber` may have of a number that somebody looks for, a + in front being optional.
 * @param countries where the number may have been dialled.
 */
export function contactNumberForms(text: string, countries: readonly Country[]): string[] {
  const number = normalizePhoneNumber(text);
  if (number === null) return [truncateText(text, MAX_CHARACTERS)];
  const digits = number.replace('+', '');
  const read = [contactNumber(`+${digits}`), ...countries.map((country) => contactNumber(number, country))];
  return [...new Set([text, digits, `+${digits}`, ...read])];
}

/** @param number normalized. @returns undefined if it cannot be read. */
function readE164(number: string, country: Country | undefined): string | undefined {
  if (number.startsWith('+')) return parse(number);
  if (!country || number.length < MIN_NATIONAL_DIGITS) return undefined;
  const mayHaveCallingCode =
    number.length >= MIN_DIGITS_WITH_CALLING_CODE && number.startsWith(getCountryCallingCode(country));
  return (mayHaveCallingCode ? parse(`+${number}`) : undefined) ?? parse(number, country);
}

function parse(number: string, defaultCountry?: Country): string | undefined {
  const parsed = parsePhoneNumberFromString(number, { defaultCountry, extract: false });
  // Not isValid: ranges may be newer than the library.
  if (!parsed?.isPossible()) return undefined;
  // Of several prefixes in front of a national number, such as zeros, the library removes one each time.
  return parsed.number === number ? number : (parse(parsed.number) ?? parsed.number);
}
