import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { offendingCharacters, partsOf, sizeOf } from './segments';

describe('sizeOf', () => {
  it.each([
    ['an empty text', '', 1, 'GSM-7'],
    ['160 GSM characters', 'a'.repeat(160), 1, 'GSM-7'],
    ['161 GSM characters', 'a'.repeat(161), 2, 'GSM-7'],
    ['306 GSM characters', 'a'.repeat(306), 2, 'GSM-7'],
    ['307 GSM characters', 'a'.repeat(307), 3, 'GSM-7'],
    ['1,600 GSM characters', 'a'.repeat(1_600), 11, 'GSM-7'],
    ['80 euro signs, two places each', '€'.repeat(80), 1, 'GSM-7'],
    ['81 euro signs', '€'.repeat(81), 2, 'GSM-7'],
    [
      'a euro sign that does not fit into the first part',
      `${'a'.repeat(152)}€${'a'.repeat(152)}`,
      3,
      'GSM-7',
    ],
    ['German', 'Grüße aus Köln: 5 € {ja}', 1, 'GSM-7'],
    ['70 Cyrillic characters', 'я'.repeat(70), 1, 'UCS-2'],
    ['71 Cyrillic characters', 'я'.repeat(71), 2, 'UCS-2'],
    ['1,600 Cyrillic characters', 'я'.repeat(1_600), 24, 'UCS-2'],
    ['35 emoji', '😀'.repeat(35), 1, 'UCS-2'],
    ['67 emoji: 33 in each part', '😀'.repeat(67), 3, 'UCS-2'],
    ['a family that does not fit into the first part', `${'я'.repeat(60)}👩‍👩‍👧‍👦${'я'.repeat(66)}`, 3, 'UCS-2'],
    ['a typographic apostrophe', `It’s ${'a'.repeat(66)}`, 2, 'UCS-2'],
    ['a backtick', '`', 1, 'UCS-2'],
  ])('counts the parts of %s', (_text, text, segments, encoding) => {
    expect(sizeOf(text)).toEqual({ segments, encoding });
  });

  it('agrees with sms-segments-calculator', () => {
    const character = fc.constantFrom(
      'a',
      ' ',
      '\n',
      'ß',
      '€',
      '[',
      'я',
      '’',
      '漢',
      '😀',
      '🇩🇪',
      '👩‍👧',
      'e\u0301',
    );
    const gsm = fc.constantFrom('a', ' ', '\n', 'ß', '€', '[');
    const texts = fc.oneof(
      fc.string({ unit: character, maxLength: 400 }),
      fc.string({ unit: gsm, maxLength: 700 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { segmentsCount, encodingName } = new SegmentedMessage(text);
        expect(sizeOf(text)).toEqual({ segments: segmentsCount, encoding: encodingName });
        expect(offendingCharacters(text).length > 0).toBe(encodingName === 'UCS-2');
      }),
    );
  });

  it('needs as many parts as the code units require at least, and stays within a bound for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const { segments, encoding } = sizeOf(text);
        const [single, part] = encoding === 'GSM-7' ? [160, 153] : [70, 67];
        const least = text.length <= single ? 1 : Math.ceil(text.length / part);
        expect(segments).toBeGreaterThanOrEqual(least);
        expect(segments).toBeLessThanOrEqual(2 * Math.ceil(text.length / 33) + 1);
      }),
    );
  });

  it.each([
    ['combining marks', `a${'\u0301'.repeat(9_999)}`],
    ['joined emoji', '👩‍'.repeat(5_000)],
    ['flags', '🇩🇪'.repeat(5_000)],
    ['lone surrogates', '\ud83d'.repeat(10_000)],
    ['conjuncts', 'क्'.repeat(5_000)],
  ])('is fast for 10,000 %s', (_kind, text) => {
    const start = performance.now();
    for (let run = 0; run < 10; run++) sizeOf(text);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('offendingCharacters', () => {
  it('lists each character outside the GSM alphabet once, in order', () => {
    expect(offendingCharacters('It’s 5 € – or ’5 😀😀 [ok]')).toEqual(['’', '–', '😀']);
    expect(offendingCharacters('Grüße')).toEqual([]);
  });

  it('lists 50 at most', () => {
    const text = String.fromCharCode(...Array.from({ length: 100 }, (_, index) => 0x4e00 + index));
    expect(offendingCharacters(text)).toEqual(Array.from(text.slice(0, 50)));
  });
});

describe('partsOf', () => {
  it('is the number of parts of a text', () => {
    expect(partsOf({ message: 'a'.repeat(161) })).toBe(2);
  });

  it('is at least the number of parts of the text behind an encrypted one', () => {
    const overhead = 'v1:';
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const encryptedMessage = overhead + Buffer.from(text).toString('base64');
        expect(partsOf({ message: '', encryptedMessage })).toBeGreaterThanOrEqual(sizeOf(text).segments);
      }),
    );
    expect(partsOf({ message: '', encryptedMessage: 'x'.repeat(93) })).toBe(1);
    expect(partsOf({ message: '', encryptedMessage: 'x'.repeat(94) })).toBe(2);
    expect(partsOf({ message: '', encryptedMessage: 'x'.repeat(2_800) })).toBe(32);
  });
});
