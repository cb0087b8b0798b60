import { type CountryCode, getCountries, getCountryCallingCode, Metadata } from 'libphonenumber-js/min';

/** What the library knows of a plan, beyond what its types declare. A test calls both. */
interface LibraryPlan {
  nationalNumberPattern(): string;
  nationalPrefix(): string | undefined;
  nationalPrefixForParsing(): string | undefined;
}

interface Plan {
  readonly country: CountryCode;
  /** A whole national number, without the national prefix. */
  readonly pattern: RegExp;
  /** Removes what is dialled in front of it inside the country, such as 0. */
  readonly withoutPrefix: (dialled: string) => string;
}

interface InternationalNumber {
  readonly callingCode: string;
  readonly national: string;
  readonly plans: readonly Plan[];
}

const MAX_CODE_DIGITS = 3;

let countriesByCode: ReadonlyMap<string, readonly CountryCode[]> | undefined;
const plansByCode = new Map<string, readonly Plan[]>();

/** @param digits a number with its calling code, without a +. @returns undefined if no country has the code. */
export function splitInternational(digits: string): InternationalNumber | undefined {
  for (let length = 1; length <= MAX_CODE_DIGITS; length++) {
    const callingCode = digits.slice(0, length);
    const plans = plansOf(callingCode);
    if (plans) return { callingCode, national: digits.slice(length), plans };
  }
  return undefined;
}

/** The beginning of a number with a 0 after its country code, such as +44 (0)7700, without it; none if it has no such 0. */
export function withoutNationalZero(digits: string): string[] {
  const read = splitInternational(digits);
  return read?.national.startsWith('0') && read.national.length > 1
    ? [`${read.callingCode}${read.national.slice(1)}`]
    : [];
}

/** Whether a country with the calling code has national numbers of this form, by their length and first digits. */
export const isNationalNumber = (plans: readonly Plan[], national: string): boolean =>
  plans.some(({ pattern }) => pattern.test(national));

/**
 * Removes the national prefix after the calling code, such as the 0 of `44 07700 900123`. Where numbers begin with a 0, as in
 * Italy, it stays.
 * @param digits a number with its calling code, without a +.
 * @param zero how a 0 behind the calling code is written. One with a separator in front is a national prefix in any country;
 * with brackets around it, it must not be possible to read the number with it as well.
 * @returns undefined if it cannot be decided whether the digits in front belong to the number.
 */
export function withoutNationalPrefix(digits: string, zero?: 'separate' | 'bracketed'): string | undefined {
  const number = splitInternational(digits);
  if (!number) return undefined;
  const { callingCode, national, plans } = number;
  const isWhole = isNationalNumber(plans, national);
  if (isWhole && zero !== 'bracketed') return digits;
  const stripped = [
    ...plans.map(({ withoutPrefix }) => withoutPrefix(national)),
    ...(zero ? [national.replace(/^0/, '')] : []),
  ].filter((rest) => rest !== national);
  const read = stripped.find((rest) => isNationalNumber(plans, rest));
  if (isWhole) return read === undefined ? digits : undefined;
  if (read !== undefined) return callingCode + read;
  return stripped.length === 0 ? digits : undefined;
}

/**
 * Reads a number that is dialled with the national prefix of a country, in a tenth of the library's time. A test compares both.
 * @returns undefined for any other number.
 */
export function readDialled(digits: string, country: CountryCode): string | undefined {
  // An international prefix.
  if (digits.startsWith('00')) return undefined;
  const code = getCountryCallingCode(country);
  const plan = plansOf(code)?.find((each) => each.country === country);
  const national = plan?.withoutPrefix(digits);
  return plan && national !== undefined && !plan.pattern.test(digits) && plan.pattern.test(national)
    ? `+${code}${national}`
    : undefined;
}

function groupCountries(): Map<string, CountryCode[]> {
  const countries = new Map<string, CountryCode[]>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    countries.set(code, [...(countries.get(code) ?? []), country]);
  }
  return countries;
}

function plansOf(code: string): readonly Plan[] | undefined {
  const known = plansByCode.get(code);
  if (known) return known;
  countriesByCode ??= groupCountries();
  const countries = countriesByCode.get(code);
  if (!countries) return undefined;
  const metadata = new Metadata();
  const plans = countries.map((country) => {
    metadata.selectNumberingPlan(country);
    const plan = metadata.numberingPlan as unknown as LibraryPlan;
    const pattern = new RegExp(`^(?:${plan.nationalNumberPattern()})$`);
    return { country, pattern, withoutPrefix: prefixRemover(plan) };
  });
  plansByCode.set(code, plans);
  return plans;
}

function prefixRemover(plan: LibraryPlan): Plan['withoutPrefix'] {
  const parsed = plan.nationalPrefixForParsing();
  if (parsed === undefined) return (dialled) => dialled;
  const pattern = new RegExp(`^(?:${parsed})`);
  // A pattern with groups also has the codes of carriers, and other forms of the number.
  const hasGroups = /\((?!\?:)/.test(parsed);
  const prefix = plan.nationalPrefix() ?? '';
  return (dialled) =>
    !hasGroups
      ? dialled.replace(pattern, '')
      : pattern.test(dialled) && dialled.startsWith(prefix)
        ? dialled.slice(prefix.length)
        : dialled;
}
