import { splitInternational } from '../../common/numbering-plan';
import { languagesOfKeyword, type WordSettings } from '../words/read-words';
import { CONSENT_LANGUAGES, type ConsentLanguage, type KeywordMeaning } from '../words/languages/word-list';

interface Owner {
  readonly senderName: string;
  readonly contact: string;
}

type Texts = Readonly<Record<KeywordMeaning, (owner: Owner) => string>>;

/** In the characters of GSM-7, so that most are one SMS; a test also checks that none is read as a keyword by another gateway. */
const TEXTS: Readonly<Record<ConsentLanguage, Texts>> = {
  en: {
    out: ({ senderName, contact }) =>
      `${senderName}: you have opted out. Text START to opt in again. Contact: ${contact}`,
    in: ({ senderName }) => `${senderName}: you will get our messages again. Text STOP to opt out.`,
    help: ({ senderName, contact }) => `${senderName}. Contact: ${contact}. Text STOP to opt out.`,
  },
  de: {
    out: ({ senderName, contact }) =>
      `${senderName}: Sie sind abgemeldet. Mit START melden Sie sich wieder an. Kontakt: ${contact}`,
    in: ({ senderName }) =>
      `${senderName}: Sie erhalten wieder unsere Nachrichten. Mit STOP melden Sie sich ab.`,
    help: ({ senderName, contact }) => `${senderName}. Kontakt: ${contact}. Mit STOP melden Sie sich ab.`,
  },
  es: {
    out: ({ senderName, contact }) =>
      `${senderName}: se ha dado de baja. Para volver a recibir mensajes, responda START. Contacto: ${contact}`,
    in: ({ senderName }) =>
      `${senderName}: vuelve a recibir nuestros mensajes. Para darse de baja, responda STOP.`,
    help: ({ senderName, contact }) =>
      `${senderName}. Contacto: ${contact}. Para darse de baja, responda STOP.`,
  },
  fr: {
    out: ({ senderName, contact }) =>
      `${senderName}: votre désabonnement est enregistré. Pour vous réabonner, répondez START. Contact: ${contact}`,
    in: ({ senderName }) =>
      `${senderName}: vous recevrez à nouveau nos messages. Pour vous désabonner, répondez STOP.`,
    help: ({ senderName, contact }) =>
      `${senderName}. Contact: ${contact}. Pour vous désabonner, répondez STOP.`,
  },
  pt: {
    out: ({ senderName, contact }) =>
      `${senderName}: cancelamos o envio de mensagens. Para voltar a receber, responda START. Contato: ${contact}`,
    in: ({ senderName }) =>
      `${senderName}: vai voltar a receber as nossas mensagens. Para cancelar, responda STOP.`,
    help: ({ senderName, contact }) => `${senderName}. Contato: ${contact}. Para cancelar, responda STOP.`,
  },
};

/** Where most people speak the language; of others, the word or the account decides. */
const CALLING_CODES: Readonly<Record<ConsentLanguage, readonly string[]>> = {
  en: ['1', '27', '44', '61', '64', '353'],
  de: ['43', '49'],
  es: [
    ...['34', '51', '52', '53', '54', '56', '57', '58', '502', '503', '504', '505', '506', '507'],
    ...['591', '593', '595', '598'],
  ],
  fr: ['33'],
  pt: ['55', '244', '258', '351'],
};

export const autoReplyText = (meaning: KeywordMeaning, language: ConsentLanguage, owner: Owner): string =>
  TEXTS[language][meaning](owner);

/**
 * The language to answer a keyword in: that of the word. Of several, and of words of every language such as STOP, the one of the country
 * of the number; else English, or the first language of the account.
 * @param number in E.164.
 */
export function replyLanguage(
  text: string,
  meaning: KeywordMeaning,
  number: string,
  settings: WordSettings,
): ConsentLanguage {
  const ofWord = languagesOfKeyword(text, meaning, settings);
  const candidates = ofWord.length > 0 ? ofWord : (settings.languages ?? CONSENT_LANGUAGES);
  const callingCode = splitInternational(number.slice(1))?.callingCode ?? '';
  const local = candidates.find((language) => CALLING_CODES[language].includes(callingCode));
  return local ?? (candidates.includes('en') ? 'en' : (candidates[0] ?? 'en'));
}
