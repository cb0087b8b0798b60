// Also part of the dashboard: it needs neither Node nor another file.

/** The encodings of an SMS: 7 bits for a character of the GSM alphabet, or 16 bits for a UTF-16 code unit. */
export const ENCODINGS = ['GSM-7', 'UCS-2'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface TextSize {
  /** Number of SMS parts, at least 1. */
  readonly segments: number;
  readonly encoding: Encoding;
}

/** The default alphabet of GSM 03.38; a character of its extension takes two places. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENSION = '\f^{}\\[~]|€';

const SEPTETS = new Uint8Array(0x2100);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENSION) SEPTETS[character.charCodeAt(0)] = 2;

/** Characters that fit into an SMS, and into each part of several, which has a header. */
export const CAPACITY = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } } as const;

export const MAX_OFFENDING_CHARACTERS = 50;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The parts of a text and their encoding, as Android sends it: a character of two places is never split, nor is an emoji or
 * another group of code points that is one character to its reader, unless it is longer than a part.
 */
export function sizeOf(text: string): TextSize {
  const septets = countSeptets(text);
  return septets === undefined
    ? { segments: countUcs2Parts(text), encoding: 'UCS-2' }
    : { segments: countGsmParts(text, septets), encoding: 'GSM-7' };
}

/** The size of a stored message; undefined if its text is encrypted, because only the phone knows it. */
export function sizeOfMessage(message: {
  readonly message: unknown;
  readonly encrypted?: boolean | undefined;
}): TextSize | undefined {
  const { message: text, encrypted } = message;
  return typeof text === 'string' && !encrypted ? sizeOf(text) : undefined;
}

/** The characters of a text that force UCS-2, each once, in their order; the first 50. */
export function offendingCharacters(text: string): string[] {
  const found = new Set<string>();
  for (const character of text) {
    if (isGsm(character)) continue;
    found.add(character);
    if (found.size === MAX_OFFENDING_CHARACTERS) break;
  }
  return [...found];
}

/**
 * The parts a message takes at most, to pace it. The phone decrypts an encrypted text, so its parts are estimated: base64
 * holds at most three bytes in four characters, and a byte of UTF-8 is at most one code unit of UCS-2.
 */
export function partsOf(message: {
  readonly message: string;
  readonly encryptedMessage?: string | undefined;
}): number {
  const { encryptedMessage } = message;
  if (encryptedMessage === undefined) return sizeOf(message.message).segments;
  const codeUnits = Math.ceil((new TextEncoder().encode(encryptedMessage).length * 3) / 4);
  const { single, part } = CAPACITY['UCS-2'];
  return codeUnits <= single ? 1 : Math.ceil(codeUnits / part);
}

const isGsm = (character: string) => character.length === 1 && septetsAt(character, 0) > 0;

const septetsAt = (text: string, index: number) => SEPTETS[text.charCodeAt(index)] ?? 0;

/** @returns undefined if a character is not in the alphabet. */
function countSeptets(text: string): number | undefined {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const septets = septetsAt(text, index);
    if (septets === 0) return undefined;
    count += septets;
  }
  return count;
}

function countGsmParts(text: string, septets: number): number {
  const { single, part } = CAPACITY['GSM-7'];
  if (septets <= single) return 1;
  if (septets === text.length) return Math.ceil(septets / part);
  let parts = 1;
  let used = 0;
  for (let index = 0; index < text.length; index++) {
    const needed = septetsAt(text, index);
    if (used + needed > part) {
      parts++;
      used = 0;
    }
    used += needed;
  }
  return parts;
}

function countUcs2Parts(text: string): number {
  const { single, part } = CAPACITY['UCS-2'];
  if (text.length <= single) return 1;
  let parts = 1;
  for (let start = 0; text.length - start > part; parts++) {
    const end = isLowSurrogate(text, start + part) ? start + part - 1 : start + part;
    if (isBoundary(text, end)) {
      start = end;
      continue;
    }
    // Up to and with the code point after the part, so that a long run of flags is not read again for each part.
    const window = text.slice(start, start + part + 2);
    const length = graphemes.segment(window).containing(part)?.index ?? part;
    start += length || (isHighSurrogate(window, part - 1) ? part - 1 : part);
  }
  return parts;
}

/** Letters, signs and emoji that never join with another of them. */
const SEPARATE =
  /^(?:[\u0020-\u02ff\u0370-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u3041-\u3096\u4e00-\u9fff]|\p{Extended_Pictographic})$/u;

/** Whether a text can be split here for certain, which takes a tenth of the time of a segmenter. */
function isBoundary(text: string, index: number): boolean {
  const previous = isLowSurrogate(text, index - 1) ? index - 2 : index - 1;
  return SEPARATE.test(characterAt(text, previous)) && SEPARATE.test(characterAt(text, index));
}

const characterAt = (text: string, index: number) => String.fromCodePoint(text.codePointAt(index) ?? 0);

const isLowSurrogate = (text: string, index: number) => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
const isHighSurrogate = (text: string, index: number) => (text.charCodeAt(index) & 0xfc00) === 0xd800;
