import { ANY_LANGUAGE } from './languages/any';
import { WORD_LISTS } from './languages/languages';
import { isMistyped } from './mistyped';
import { hasPhrase, parsePhrase, type Phrase } from './phrase';
import { wordsOfText } from './text-words';
import {
  CONSENT_LANGUAGES,
  type ConsentLanguage,
  KEYWORD_MEANINGS,
  type KeywordMeaning,
  type Keywords,
} from './languages/word-list';

/** What a text asks for; `unclear`: probably for no more messages. */
export type TextMeaning = KeywordMeaning | 'unclear';

export interface WordSettings {
  /** Absent: all. */
  readonly languages?: readonly ConsentLanguage[];
  /** Words of the account beside those of the languages. */
  readonly keywords?: Partial<Keywords>;
}

/** A text with more words is unclear only if it has a phrase that says so. */
const MAX_WORDS_AROUND = 3;

/** Words that look like out-words with two letters swapped. */
const NOT_MISTYPED: ReadonlySet<string> = new Set(['alot', 'sari', 'asir']);

interface PreparedList {
  readonly around: ReadonlySet<string>;
  readonly everyday: ReadonlySet<string>;
  readonly unclear: readonly Phrase[];
  readonly harmless: readonly Phrase[];
}

const PREPARED = Object.fromEntries(
  CONSENT_LANGUAGES.map((language): [ConsentLanguage, PreparedList] => {
    const { around, everyday, unclear, harmless } = WORD_LISTS[language];
    return [
      language,
      {
        around: new Set(around),
        everyday: new Set(everyday),
        unclear: unclear.map(parsePhrase),
        harmless: harmless.map(parsePhrase),
      },
    ];
  }),
) as Record<ConsentLanguage, PreparedList>;

/**
 * What an incoming text asks for. A keyword counts only if it is the whole text; an out-word among at most three words, and a phrase
 * that asks for no more messages, are unclear.
 * @returns undefined if it asks for nothing, and for texts of more than 160 characters.
 */
export function readWords(text: string, settings: WordSettings = {}): TextMeaning | undefined {
  const words = wordsOfText(text);
  if (words.length === 0) return undefined;
  return keywordMeaning(words, settings) ?? (isUnclear(words, settings) ? 'unclear' : undefined);
}

/** The meaning of a text that is a keyword as a whole. */
export const readKeyword = (text: string, settings: WordSettings = {}): KeywordMeaning | undefined => {
  const words = wordsOfText(text);
  return words.length === 0 ? undefined : keywordMeaning(words, settings);
};

/** What a text means that is a keyword as a whole. Meanings exclude each other, see `clashingMeaning`. */
function keywordMeaning(words: readonly string[], settings: WordSettings): KeywordMeaning | undefined {
  const whole = words.join(' ');
  return KEYWORD_MEANINGS.find((meaning) => keywordsOf(meaning, settings).includes(whole));
}

/** The languages of an account in which a text is a keyword with this meaning: none for words of every language, and of its own. */
export function languagesOfKeyword(
  text: string,
  meaning: KeywordMeaning,
  { languages = CONSENT_LANGUAGES }: WordSettings,
): ConsentLanguage[] {
  const whole = wordsOfText(text).join(' ');
  return languages.filter((language) => WORD_LISTS[language][meaning].includes(whole));
}

/** @returns the meaning that a keyword of an account has already in some language, if it is another one. */
export function clashingMeaning(keyword: string, intended: KeywordMeaning): KeywordMeaning | undefined {
  const known = keywordMeaning(wordsOfText(keyword), {});
  return known === intended ? undefined : known;
}

function keywordsOf(
  meaning: KeywordMeaning,
  { languages = CONSENT_LANGUAGES, keywords = {} }: WordSettings,
): string[] {
  const own = (keywords[meaning] ?? []).map((keyword) => wordsOfText(keyword).join(' '));
  return [
    ...ANY_LANGUAGE[meaning],
    ...languages.flatMap((language) => WORD_LISTS[language][meaning]),
    ...own,
  ];
}

function isUnclear(words: readonly string[], settings: WordSettings): boolean {
  const { languages = CONSENT_LANGUAGES } = settings;
  const lists = languages.map((language) => PREPARED[language]);
  if (lists.some(({ harmless }) => harmless.some((phrase) => hasPhrase(words, phrase)))) return false;
  if (lists.some(({ unclear }) => unclear.some((phrase) => hasPhrase(words, phrase)))) return true;
  return words.length <= MAX_WORDS_AROUND && hasOutWord(words, lists, settings);
}

/** Everyday words, such as "cancel", say nothing of messages beside words such as "appointment". */
function hasOutWord(
  words: readonly string[],
  lists: readonly PreparedList[],
  settings: WordSettings,
): boolean {
  const outWords = keywordsOf('out', settings).filter((keyword) => !keyword.includes(' '));
  return words.some((word, index) => {
    const intended = outWords.find((outWord) => outWord === word) ?? mistypedOf(word, outWords);
    if (intended === undefined) return false;
    if (!lists.some(({ everyday }) => everyday.has(intended))) return true;
    const others = words.filter((_, other) => other !== index);
    return others.every((other) => lists.some(({ around }) => around.has(other)));
  });
}

const mistypedOf = (word: string, outWords: readonly string[]): string | undefined =>
  NOT_MISTYPED.has(word) ? undefined : outWords.find((outWord) => isMistyped(word, outWord));
