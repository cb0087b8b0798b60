import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Catalogue } from './en';
import type { ErrorTexts } from './errors/error-texts';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;
export type CatalogueName = keyof Catalogue;

const FILES = import.meta.glob<{ default: object }>(['./{en,de,es}/*.ts', '!./*/index.ts']);

const ERRORS = import.meta.glob<{ default: ErrorTexts }>('./errors/{de,es}.ts');
let errors: ErrorTexts | undefined;

/** The errors of the API in the language of the page; English is the API's own. */
export const errorTexts = (): ErrorTexts | undefined => errors;

/** What the pages have asked for so far; a new language needs all of it. */
const used = new Set<CatalogueName>();

const STORED = 'language';

const isLanguage = (name: string | null | undefined): name is Language => !!name && name in LANGUAGES;

function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads the texts that every page needs, in the language of the person. */
export async function startTranslations(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'none',
    fallbackLng: false,
    // React escapes.
    interpolation: { escapeValue: false },
    resources: {},
  });
  for (const name of ['common', 'shell'] as const) used.add(name);
  await changeLanguage(preferredLanguage());
}

/** Loads the texts of a page. */
export async function loadCatalogues(names: readonly CatalogueName[]): Promise<void> {
  for (const name of names) used.add(name);
  await load(i18n.language as Language);
}

/** Shows the texts of another language. */
export async function changeLanguage(language: Language): Promise<void> {
  const [ofErrors] = await Promise.all([ERRORS[`./errors/${language}.ts`]?.(), load(language)]);
  errors = ofErrors?.default;
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
}

async function load(language: Language): Promise<void> {
  const missing = [...used].filter((name) => !i18n.exists(name, { lng: language, returnObjects: true }));
  await Promise.all(
    missing.map(async (name) => {
      const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const catalogue = await FILES[`./${language}/${file}.ts`]?.();
      i18n.addResourceBundle(language, 'translation', { [name]: catalogue?.default }, true);
    }),
  );
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Catalogue };
  }
}

export default i18n;
