import { type Country, readings } from '../../common/peer-number';
import { splitInternational, withoutNationalZero } from '../../common/numbering-plan';
import { typedDigits } from '../../common/phone-number';

/** Fewer digits would be in most numbers. */
const MIN_SIGNIFICANT_DIGITS = 3;
const MIN_NATIONAL_DIGITS = 7;

export interface SearchPatterns {
  readonly text: string;
  /** For numbers as they were given, such as sender and recipient. */
  readonly number: string;
  /** For numbers in comparable form, see `peerNumber`: finds each spelling. Absent if the term has no digits of a number. */
  readonly peer?: string;
}

/**
 * Regular expressions for a search term, to be matched case-insensitively.
 * @param countries where a number without a country code may have been dialled.
 */
export function searchPatterns(search: string, countries: readonly Country[] = []): SearchPatterns {
  const text = escape(search);
  const digits = typedDigits(search);
  if (digits === null) return { text, number: text };
  const number = digits === search ? text : `${text}|${escape(digits)}`;
  const parts = comparableParts(search, digits, countries);
  return { text, number, ...(parts.length > 0 && { peer: parts.map(escape).join('|') }) };
}

/** What numbers in comparable form contain if they are meant by the digits, which may be a part of one. */
function comparableParts(search: string, digits: string, countries: readonly Country[]): string[] {
  const whole = readings(search, countries).filter((number) => number.startsWith('+'));
  const international = digits.replace(/^00/, '+');
  const significant = digits.replace(/^(?:\+|0+)/, '');
  const parts = [
    ...whole,
    // Stored without a country code if no country was known.
    ...whole
      .map((number) => splitInternational(number.slice(1))?.national ?? '')
      .filter((national) => national.length >= MIN_NATIONAL_DIGITS),
    ...(significant.length < MIN_SIGNIFICANT_DIGITS ? [] : [significant]),
    ...(international.startsWith('+') ? withoutNationalZero(significant).map((rest) => `+${rest}`) : []),
  ];
  return [...new Set(parts)];
}

function escape(text: string): string {
  // PCRE patterns end at a NUL byte.
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');
}
