import blind from './corpus-blind.json';
import secondBlind from './corpus-second-blind.json';
import own from './corpus.json';
import { ANY_LANGUAGE } from './languages/any';
import { WORD_LISTS } from './languages/languages';
import { clashingMeaning, readWords } from './read-words';
import { wordsOfText } from './text-words';
import { CONSENT_LANGUAGES, KEYWORD_MEANINGS } from './languages/word-list';

interface LabelledText {
  readonly language: string;
  readonly text: string;
  readonly meaning: string;
}

const misread = (texts: readonly LabelledText[]) =>
  texts
    .map((each) => ({ ...each, read: readWords(each.text) ?? 'innocent' }))
    .filter(({ meaning, read }) => read !== meaning);

describe('readWords', () => {
  it('reads the texts of its authors', () => {
    expect(own.length).toBeGreaterThanOrEqual(150);
    expect(misread(own)).toEqual([]);
  });

  it('reads the texts of two others who had not read the rules', () => {
    for (const texts of [blind, secondBlind]) {
      expect(texts).toHaveLength(150);
      expect(misread(texts)).toEqual([]);
    }
  });

  it('misses no keyword of any language, however it is written', () => {
    for (const list of [ANY_LANGUAGE, ...Object.values(WORD_LISTS)])
      for (const meaning of KEYWORD_MEANINGS)
        for (const word of list[meaning])
          for (const text of [word, word.toUpperCase(), `  “${word}”!! 🙏`, `${word}.\n`])
            expect([text, readWords(text)]).toEqual([text, meaning]);
  });

  it('has no word with two meanings, in one language or in two', () => {
    const lists = [ANY_LANGUAGE, ...Object.values(WORD_LISTS)];
    const words = KEYWORD_MEANINGS.flatMap((meaning) =>
      [...new Set(lists.flatMap((list) => list[meaning]))].map((word) => word),
    );
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  it('has lists in the form that texts are compared in', () => {
    for (const language of CONSENT_LANGUAGES) {
      const { unclear, harmless, everyday, around, out, in: lifting, help } = WORD_LISTS[language];
      const words = [...unclear, ...harmless, ...everyday, ...around, ...out, ...lifting, ...help]
        .flatMap((phrase) => phrase.split(' '))
        .flatMap((word) => word.replaceAll('?', '').split('|'));
      expect(words.filter((word) => wordsOfText(word).join(' ') !== word)).toEqual([]);
    }
  });

  it('reads only the languages of the account; the words of any language always', () => {
    const german = { languages: ['de'] as const };
    expect(readWords('Abmelden', german)).toBe('out');
    expect(readWords('Baja', german)).toBeUndefined();
    expect(readWords('Stop', { languages: [] })).toBe('out');
    expect(readWords('no más mensajes', german)).toBeUndefined();
  });

  it('reads the keywords of the account', () => {
    const settings = { keywords: { out: ['Ciao', 'Nein, Danke!'], help: ['Wer?'] } };
    expect(readWords('CIAO!', settings)).toBe('out');
    expect(readWords('nein danke', settings)).toBe('out');
    expect(readWords('ciao bella', settings)).toBe('unclear');
    expect(readWords('Wer', settings)).toBe('help');
    expect(readWords('Ciao')).toBeUndefined();
  });

  it('never reads YES, and no text of more than 160 characters', () => {
    for (const text of ['Yes', 'YES!', 'Y', 'Sí', 'Ja', 'oui', 'sim'])
      expect(readWords(text)).toBeUndefined();
    expect(readWords(`Stop texting me${' '.repeat(200)}`)).toBe('unclear');
    expect(readWords(`Stop texting me ${'x'.repeat(144)}`)).toBe('unclear');
    expect(readWords(`Stop texting me ${'x'.repeat(145)}`)).toBeUndefined();
  });

  it('does a bounded amount of work', () => {
    const texts = [
      'ﷺ'.repeat(160),
      'stop '.repeat(32),
      '🛑'.repeat(160),
      'a '.repeat(5_000_000),
      '\u0301'.repeat(160),
    ];
    const startedAt = performance.now();
    for (const text of texts) readWords(text);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('clashingMeaning', () => {
  it('finds keywords that mean something else in some language', () => {
    expect(clashingMeaning('Stop', 'in')).toBe('out');
    expect(clashingMeaning('ALTA', 'out')).toBe('in');
    expect(clashingMeaning('Stop', 'out')).toBeUndefined();
    expect(clashingMeaning('Ciao', 'out')).toBeUndefined();
  });
});
