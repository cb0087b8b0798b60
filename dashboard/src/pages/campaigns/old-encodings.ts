import type { OldEncoding } from '../../../../src/common/csv/csv-format';

const BY_SCRIPT: Readonly<Record<string, OldEncoding>> = {
  Cyrl: 'windows-1251',
  Grek: 'windows-1253',
  Hebr: 'windows-1255',
  Arab: 'windows-1256',
};

const BY_LANGUAGE: Readonly<Record<string, OldEncoding>> = {
  ...Object.fromEntries(['cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl'].map((each) => [each, 'windows-1250'])),
  ...Object.fromEntries(['az', 'tr'].map((each) => [each, 'windows-1254'])),
};

/**
 * The encoding that a file from before UTF-8 most likely has.
 * @param tags languages of the reader, those that tell most first; also `und-IL` for that of a country.
 */
export function guessEncoding(tags: readonly string[]): OldEncoding {
  for (const tag of tags) {
    const { language, script = '' } = maximized(tag);
    // English says nothing: it is set on many machines whose owners write in another language.
    if (language !== 'en') return BY_SCRIPT[script] ?? BY_LANGUAGE[language] ?? 'windows-1252';
  }
  return 'windows-1252';
}

function maximized(tag: string): { readonly language: string; readonly script?: string } {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return { language: 'en' };
  }
}

const MAX_LINES = 3;
const MAX_LENGTH = 80;

/** The first lines of a file in which the encoding matters, as they read in this one. */
export function sampleOf(bytes: BufferSource, encoding: OldEncoding): string[] {
  const lines = new TextDecoder(encoding).decode(bytes).split(/[\r\n]+/);
  const telling = lines.filter((line) => /[^\0-\x7f]/.test(line));
  return telling.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LENGTH));
}
