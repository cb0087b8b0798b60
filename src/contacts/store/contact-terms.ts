import { hashLongText } from '../../common/text/hash-long-text';
import { foldedWords, foldText } from '../../common/text/fold-text';
import { splitInternational, withoutNationalZero } from '../../common/numbering-plan';
import { sum } from '../../common/sum';
import type { Contact, ContactContent, ContactField } from './contact.schema';

const MAX_WORDS_OF_NAME = 12;
const MAX_WORD_LENGTH = 32;
const MAX_KEY_LENGTH = 128;

type Derived = Pick<Contact, 'sortKey' | 'words' | 'peerNumbers' | 'tagKeys' | 'fieldKeys'>;

/** The content of a contact with what is derived from it. */
export function withTerms<Content extends ContactContent & Pick<Contact, '_id'>>(
  content: Content,
): Content & Derived {
  const { _id, name, numbers, tags, fields } = content;
  const peerNumbers = [...new Set(numbers.map(({ peerNumber }) => peerNumber))];
  return {
    ...content,
    sortKey: foldText(name || (peerNumbers[0] ?? '')),
    words: [...new Set([...wordsOf(name), ...peerNumbers.flatMap(digitsOf)])],
    peerNumbers: peerNumbers.length > 0 ? peerNumbers : [_id.toHexString()],
    tagKeys: tags.map(tagKey),
    fieldKeys: fields.map(fieldKey),
  };
}

/** The size of a contact: most of it are its notes and fields. */
export const charactersOf = ({ notes = '', fields, tags }: ContactContent): number =>
  notes.length + sum(fields, ({ value }) => value.length) + sum(tags, ({ length }) => length);

/** Tags with the same key are one. */
export const tagKey = (tag: string): string => foldText(tag);

/** Fields with the same key have the same name, and a value that differs in case and accents at most. */
export const fieldKey = ({ name, value }: ContactField): string =>
  hashLongText(`${name}=${foldText(value)}`, MAX_KEY_LENGTH);

const wordsOf = (name: string): string[] =>
  foldedWords(name)
    .slice(0, MAX_WORDS_OF_NAME)
    .map((word) => word.slice(0, MAX_WORD_LENGTH));

/** What somebody types who looks for a number: its digits with and without the code of its country; of a name, its words. */
function digitsOf(peerNumber: string): string[] {
  const digits = peerNumber.replace(/^\+/, '');
  if (!/^\d+$/.test(digits)) return wordsOf(peerNumber);
  const national = peerNumber.startsWith('+') ? splitInternational(digits)?.national : undefined;
  return [digits, withoutZeros(national ?? digits)];
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/**
 * The words of a search term: a contact is found if, for each of them, one of its words begins with one of the alternatives.
 * The longest comes first, which few contacts have.
 * @param typed the digits of the term if it is a number or a part of one, see `typedDigits`.
 * @param numbers what the whole number may be in comparable form.
 */
export function searchWords(
  search: string,
  typed: string | null,
  numbers: readonly string[],
): readonly (readonly string[])[] {
  if (typed !== null) return [digitAlternatives(typed, numbers)];
  return foldedWords(search)
    .slice(0, MAX_WORDS_OF_NAME)
    .toSorted((one, other) => other.length - one.length)
    .map((word) => (/^\d+$/.test(word) ? digitAlternatives(word, []) : [word.slice(0, MAX_WORD_LENGTH)]));
}

function digitAlternatives(typed: string, numbers: readonly string[]): string[] {
  const digits = typed.replace(/^\+/, '');
  const whole = numbers.filter((number) => number.startsWith('+')).map((number) => number.slice(1));
  const international = /^(?:\+|00)/.test(typed) ? withoutNationalZero(withoutZeros(digits)) : [];
  return [...new Set([digits, withoutZeros(digits), ...international, ...whole])];
}
