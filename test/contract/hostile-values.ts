import fc, { type Arbitrary } from 'fast-check';

// Values of attackers and broken clients.

/** A placeholder for JSON that no JavaScript value produces. */
const RAW: Readonly<Record<string, string>> = {
  '@infinity@': '1e999',
  '@long number@': '9'.repeat(400),
  '@deep list@': '['.repeat(50_000) + ']'.repeat(50_000),
  '@deep object@': '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
  '@long list@': `[${'{},'.repeat(400_000)}1]`,
  '@wide object@': `{${Array.from({ length: 100_000 }, (_, field) => `"k${field}":1`).join(',')}}`,
  '@prototype@': '{"__proto__": {"polluted": true}}',
};

/** Serialises a value and replaces placeholders. */
export function toJson(value: unknown): string {
  return Object.entries(RAW).reduce(
    (text, [mark, raw]) => text.replaceAll(JSON.stringify(mark), raw),
    JSON.stringify(value),
  );
}

/** A value once in `oneIn` times, otherwise nothing. */
export const occasionally = <T>(arbitrary: Arbitrary<T>, oneIn: number): Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: oneIn - 1 }, { arbitrary, weight: 1 });

export const hostileTexts = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      'a\0b',
      '\r\n',
      '\ud800',
      '\u202e',
      '👩‍👩‍👧‍👦',
      'é'.normalize('NFD'),
      'İ',
      '\ufeff',
      '\u2028',
    ],
    ...[
      '$',
      '$gt',
      '$$ROOT',
      '$$NOW',
      '$user',
      '{"$gt": ""}',
      '{$ne: 1}',
      '__proto__',
      'constructor',
      'toString',
    ],
    ...[
      'null',
      'undefined',
      'NaN',
      'Infinity',
      '-0',
      '0x10',
      '1e3',
      '007',
      'true',
      '[]',
      '{}',
      '[object Object]',
    ],
    ...[
      "' OR '1'='1",
      '(a+)+$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '[',
      '\\',
      '\\u0000',
      '%',
      '%00',
      '%E0%A4%A',
      '../..',
    ],
    ...[
      '0000-00-00',
      '9999-12-31T23:59:59Z',
      '+275760-09-13T00:00:00Z',
      '2026-02-30',
      '2026-01-31T24:00:00Z',
    ],
    ...[
      '000000000000000000000000',
      'ffffffffffffffffffffffff',
      '665f1c2ab7e1d4a9c0f3e81',
      'zzzzzzzzzzzzzzzzzzzzzzzz',
    ],
    ...[
      'a@b',
      '"a b"@example.com',
      `${'a'.repeat(300)}@example.com`,
      'a@b.c\r\nBcc: d@e.f',
      '@',
      'http://[::1',
    ],
    ...['x'.repeat(5_000), ' '.repeat(50_000), 'a'.repeat(200_000), '@.'.repeat(20_000), '1'.repeat(50_000)],
  ),
  fc.string({ unit: 'binary' }),
);

const hostileNumbers = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      0,
      -0,
      -1,
      0.1,
      2 ** 31,
      -(2 ** 31) - 1,
      2 ** 32,
      2 ** 53,
      2 ** 63,
      2 ** 64,
      8.64e15,
      8.64e15 + 2,
      1e22,
    ],
    ...[Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, '@infinity@', '@long number@'],
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const hostileObjects = fc.constantFrom<unknown>(
  {},
  { $gt: '' },
  { $ne: null },
  { $in: [null] },
  { $exists: true },
  { $regex: '.*' },
  { $where: 'sleep(10000)' },
  { $expr: { $function: { body: 'while (true);', args: [], lang: 'js' } } },
  { $literal: 1 },
  { $date: '2026-01-01' },
  { $oid: '665f1c2ab7e1d4a9c0f3e812' },
  { _bsontype: 'ObjectId', id: 'x' },
  { _bsontype: 'Code', code: '1' },
  { 'a.b': 1, '': 2, $: 3 },
  { toString: null, valueOf: null },
  { toString: 1, valueOf: 'x', toJSON: {}, then: 1, inspect: 0 },
  { length: 1e9, 0: 'x' },
  { constructor: { prototype: { polluted: true } } },
  { constructor: 1, hasOwnProperty: 2 },
  '@prototype@',
  '@deep object@',
  '@wide object@',
);

const hostileLists = fc.constantFrom<unknown>(
  [],
  [null],
  [[]],
  [{}],
  [[['$gt']]],
  [{ $gt: '' }, null, 1],
  Array.from({ length: 2_000 }, () => 'x'),
  Array.from({ length: 2_000 }, () => ({})),
  '@deep list@',
  '@long list@',
);

export const hostileValues = fc.oneof(
  hostileTexts,
  hostileNumbers,
  hostileObjects,
  hostileLists,
  fc.constantFrom(null, true, false),
  fc.jsonValue({ maxDepth: 3 }),
);
