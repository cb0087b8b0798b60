import { foldText } from '../../common/text/fold-text';

/** Longer texts are conversation, not a request. */
const MAX_CHARACTERS = 160;

/** Within a word, as in "don't"; a typographic one too. */
const APOSTROPHES = /(?<=\p{L})['’‘`´ʼ](?=\p{L})/gu;

/**
 * The words of a text in comparable form: NFKC, lower case, without accents, punctuation and emoji; "S.T.O.P." is one word.
 * @returns none if it has more than 160 characters.
 */
export function wordsOfText(text: string): readonly string[] {
  // A character has two units at most, so that a long text costs nothing.
  if (text.length > 2 * MAX_CHARACTERS) return [];
  const trimmed = text.trim();
  if (Array.from(trimmed).length > MAX_CHARACTERS) return [];
  const words =
    foldText(trimmed)
      .replaceAll(APOSTROPHES, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const isSpelled = words.length > 2 && words.every((word) => word.length === 1);
  return isSpelled ? [words.join('')] : words;
}
