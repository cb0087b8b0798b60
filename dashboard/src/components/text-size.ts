import { CAPACITY, offendingCharacters, sizeOf, type TextSize } from '../../../src/messages/text/segments';

/** The bound of the API, in Unicode code points. */
export const MAX_TEXT_CHARACTERS = 1_600;

export interface DraftSize extends TextSize {
  /** Characters as a reader of the text counts them. */
  readonly characters: number;
  /** Places that are used: a character of the GSM extension takes two, an emoji two or more. */
  readonly used: number;
  /** Places of all parts. */
  readonly room: number;
  /** The characters that force UCS-2, each once. */
  readonly offending: readonly string[];
}

/** The size of a text as the service counts it; an empty one has a part, as a text with one character does. */
export function sizeOfDraft(text: string): DraftSize {
  const size = sizeOf(text);
  const { single, part } = CAPACITY[size.encoding];
  const doubled = size.encoding === 'GSM-7' ? (text.match(/[\f^{}\\[~\]|€]/g)?.length ?? 0) : 0;
  return {
    ...size,
    characters: Array.from(text).length,
    used: text.length + doubled,
    room: size.segments === 1 ? single : size.segments * part,
    offending: size.encoding === 'UCS-2' ? offendingCharacters(text) : [],
  };
}

/** What word processors write instead of a character of the GSM alphabet. */
const PLAIN: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '‐': '-',
  '…': '...',
  '\u00A0': ' ',
  '\u202F': ' ',
  '•': '-',
  '\t': ' ',
};

/** The text with plain quotation marks, dashes and spaces; undefined if it would still need UCS-2. */
export function withPlainCharacters(text: string): string | undefined {
  const plain = Array.from(text, (character) => PLAIN[character] ?? character).join('');
  return sizeOf(plain).encoding === 'GSM-7' ? plain : undefined;
}
