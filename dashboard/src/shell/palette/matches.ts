import { normalizePhoneNumber } from '../../../../src/common/phone-number';

/** Shorter ones are found in nearly everything. */
export const MIN_SEARCH_CHARACTERS = 2;

const MIN_DIGITS = 5;

/** Lower case without accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether each word of a query is in one of the texts; an empty query is in all. */
export function matches(query: string, texts: readonly (string | undefined)[]): boolean {
  const searched = plain(texts.join(' '));
  return plain(query)
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** The phone number that a query is, with a + where it has one; undefined if it is another text. */
export function numberIn(query: string): string | undefined {
  const number = normalizePhoneNumber(query);
  return number !== null && number.replace('+', '').length >= MIN_DIGITS ? number : undefined;
}
