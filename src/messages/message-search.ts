import { normalisePhoneNumber } from '../common/phone-number';

/** Regular expressions that find what somebody typed, to be matched without regard to case. */
export interface SearchPatterns {
  readonly text: string;
  /** For the other party's number. */
  readonly number: string;
}

/** Takes a search literally; a phone number is also found the way numbers are stored, bare of what separates digits. */
export function searchPatterns(search: string): SearchPatterns {
  const text = escape(search);
  const number = normalisePhoneNumber(search);
  return { text, number: number !== null && number !== search ? `${text}|${escape(number)}` : text };
}

function escape(text: string): string {
  // A NUL would end the expression early.
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');
}
