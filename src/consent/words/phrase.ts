interface PhraseWord {
  readonly alternatives: ReadonlySet<string>;
  readonly isOptional: boolean;
}

/** A sequence of words to look for, see `WordList`. */
export type Phrase = readonly PhraseWord[];

export const parsePhrase = (text: string): Phrase =>
  text.split(' ').map((word) => ({
    alternatives: new Set(word.replaceAll('?', '').split('|')),
    isOptional: word.endsWith('?'),
  }));

/** Whether the words of the phrase follow each other anywhere among these words. */
export const hasPhrase = (words: readonly string[], phrase: Phrase): boolean =>
  words.some((_, start) => matchesAt(words, start, phrase));

/** An optional word that is there is taken: its alternatives do not occur in the next place, too. */
function matchesAt(words: readonly string[], start: number, phrase: Phrase): boolean {
  let at = start;
  for (const { alternatives, isOptional } of phrase) {
    const word = words[at];
    if (word !== undefined && alternatives.has(word)) at += 1;
    else if (!isOptional) return false;
  }
  return true;
}
