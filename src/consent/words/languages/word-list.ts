/** The languages with words of their own. */
export const CONSENT_LANGUAGES = ['en', 'de', 'es', 'fr', 'pt'] as const;
export type ConsentLanguage = (typeof CONSENT_LANGUAGES)[number];

/** What a word asks for if it is the whole text. */
export const KEYWORD_MEANINGS = ['out', 'in', 'help'] as const;
export type KeywordMeaning = (typeof KEYWORD_MEANINGS)[number];

export type Keywords = Readonly<Record<KeywordMeaning, readonly string[]>>;

/**
 * The words of a language, in lower case without accents and apostrophes. A phrase is a sequence of words with one space between
 * them; `|` separates alternatives for a word, and a `?` behind a word makes it optional.
 */
export interface WordList extends Keywords {
  /** Out-words that also occur in everyday short texts: among other words they count only beside those of `around`. */
  readonly everyday: readonly string[];
  /** Words that add nothing to an out-word, such as "please". */
  readonly around: readonly string[];
  /** What people write who want no more messages but use no keyword. */
  readonly unclear: readonly string[];
  /** A text with one of these is not about messages, even if it has an out-word. */
  readonly harmless: readonly string[];
}
