import type { ConsentLanguage, WordList } from './word-list';
import { GERMAN } from './de';
import { ENGLISH } from './en';
import { SPANISH } from './es';
import { FRENCH } from './fr';
import { PORTUGUESE } from './pt';

export const WORD_LISTS: Readonly<Record<ConsentLanguage, WordList>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  fr: FRENCH,
  pt: PORTUGUESE,
};
