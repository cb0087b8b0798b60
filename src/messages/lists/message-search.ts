import { normalizePhoneNumber } from '../../common/phone-number';

/**
 * Regular expressions for a search term, to be matched case-insensitively. That for numbers, such as sender and recipient, also
 * matches the stored form of a phone number, without separators.
 */
export function searchPatterns(search: string) {
  const text = escape(search);
  const number = normalizePhoneNumber(search);
  return { text, number: number !== null && number !== search ? `${text}|${escape(number)}` : text };
}

function escape(text: string): string {
  // PCRE patterns end at a NUL byte.
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');
}
