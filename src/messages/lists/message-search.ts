import { normalizePhoneNumber } from '../../common/phone-number';

/** Regular expressions for a search term, to be matched case-insensitively. */
export interface SearchPatterns {
  readonly text: string;
  /** Matches sender and recipient. */
  readonly number: string;
}

/** Escapes the search term. A phone number also matches its stored form, without separators. */
export function searchPatterns(search: string): SearchPatterns {
  const text = escape(search);
  const number = normalizePhoneNumber(search);
  return { text, number: number !== null && number !== search ? `${text}|${escape(number)}` : text };
}

function escape(text: string): string {
  // PCRE patterns end at a NUL byte.
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');
}
