import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Catalogue, Translation } from './catalogue';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const LOADERS: Record<Language, () => Promise<{ default: Translation }>> = {
  en: () => import('./en'),
  de: () => import('./de'),
  es: () => import('./es'),
};

const STORED = 'language';

const isLanguage = (name: string | null | undefined): name is Language => !!name && name in LANGUAGES;

function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads the catalogue of the person's language. */
export async function startTranslations(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'none',
    fallbackLng: false,
    // React escapes.
    interpolation: { escapeValue: false },
    resources: {},
  });
  await changeLanguage(preferredLanguage());
}

/** Loads a catalogue, shows it, and keeps the choice. */
export async function changeLanguage(language: Language): Promise<void> {
  const { default: catalogue } = await LOADERS[language]();
  i18n.addResourceBundle(language, 'translation', catalogue);
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Catalogue };
  }
}

export default i18n;
