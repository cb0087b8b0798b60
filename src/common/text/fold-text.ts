const MARKS_AND_INVISIBLE = /[\p{M}\p{Cf}]/gu;

/** Letters that Unicode does not decompose. */
const LETTERS: readonly (readonly [letter: RegExp, plain: string])[] = [
  [/ß/g, 'ss'],
  [/ø/g, 'o'],
  [/œ/g, 'oe'],
  [/æ/g, 'ae'],
  [/ł/g, 'l'],
];

/** A text for comparison: NFKC, lower case, without accents and invisible characters. */
export function foldText(text: string): string {
  let folded = text.normalize('NFKC').toLowerCase().normalize('NFD').replaceAll(MARKS_AND_INVISIBLE, '');
  for (const [letter, plain] of LETTERS) folded = folded.replaceAll(letter, plain);
  return folded;
}

/** The words of a text in that form, without punctuation and emoji. */
export const foldedWords = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
