import type { StopScope, StoredConsentSettings } from '../../auth/accounts/consent-settings';
import { CONSENT_LANGUAGES, type ConsentLanguage, type Keywords } from '../words/languages/word-list';

/** How an account treats the consent of the people that it writes to. */
export interface ConsentSettings {
  readonly enabled: boolean;
  /** Whether the owner has switched it on or off, or it was on from the beginning. */
  readonly asked: boolean;
  readonly stopCovers: StopScope;
  readonly languages: readonly ConsentLanguage[];
  readonly keywords: Keywords;
  /** Who writes. Without it and the contact, no text is answered. */
  readonly senderName?: string;
  /** How to reach them. */
  readonly contact?: string;
  /** Whether STOP and START are answered. */
  readonly confirmation: boolean;
}

/** A change of the settings; null removes a text. */
export type ConsentSettingsPatch = Partial<Omit<ConsentSettings, 'asked' | 'senderName' | 'contact'>> & {
  readonly senderName?: string | null;
  readonly contact?: string | null;
};

const DEFAULT_CONSENT_SETTINGS: ConsentSettings = {
  enabled: false,
  asked: false,
  stopCovers: 'undeclared',
  languages: CONSENT_LANGUAGES,
  keywords: { out: [], in: [], help: [] },
  confirmation: true,
};

/** @param stored of an account; absent if it was not asked yet. */
export function consentSettingsOf(stored: StoredConsentSettings = {}): ConsentSettings {
  const { languages, keywords, ...others } = stored;
  return {
    ...DEFAULT_CONSENT_SETTINGS,
    ...others,
    asked: others.enabled !== undefined,
    ...(languages && { languages: CONSENT_LANGUAGES.filter((known) => languages.includes(known)) }),
    keywords: { ...DEFAULT_CONSENT_SETTINGS.keywords, ...keywords },
  };
}
