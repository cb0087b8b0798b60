import fc from 'fast-check';
import { getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { normalizePhoneNumber } from './phone-number';
import { readDialled } from './numbering-plan';
import { COUNTRIES, type Country, peerNumber, peerNumberForms, parseCountry } from './peer-number';

describe('peerNumber', () => {
  it.each<[string, Country | undefined, string]>([
    ['+447700900123', undefined, '+447700900123'],
    ['+44 (0)7700 900123', undefined, '+447700900123'],
    ['+44 07700 900123', undefined, '+447700900123'],
    ['07700 900123', 'GB', '+447700900123'],
    ['(07700) 900-123', 'GB', '+447700900123'],
    ['00447700900123', 'GB', '+447700900123'],
    ['447700900123', 'GB', '+447700900123'],
    ['+44 7700 900123', 'DE', '+447700900123'],
    ['tel:+44-7700-900123', 'DE', '+447700900123'],
    ['\u202a+44 7700\u00a0900123\u202c', undefined, '+447700900123'],
    ['0151 12345678', 'DE', '+4915112345678'],
    ['0049 151 12345678', 'DE', '+4915112345678'],
    ['4915112345678', 'DE', '+4915112345678'],
    ['+49 0151 12345678', undefined, '+4915112345678'],
    ['030 123456', 'DE', '+4930123456'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['391 2345678', 'IT', '+393912345678'],
    ['393912345678', 'IT', '+393912345678'],
    ['06 12345678', 'IT', '+390612345678'],
    ['(202) 555-0123', 'US', '+12025550123'],
    ['1 202 555 0123', 'US', '+12025550123'],
    ['011 44 7700 900123', 'US', '+447700900123'],
    ['8 916 123-45-67', 'RU', '+79161234567'],
    ['+7 8 916 123 45 67', undefined, '+79161234567'],
    ['55 99123 4567', 'BR', '+5555991234567'],
    ['5511912345678', 'BR', '+5511912345678'],
    ['9876543210', 'IN', '+919876543210'],
    ['919876543210', 'IN', '+919876543210'],
    ['138 1234 5678', 'CN', '+8613812345678'],
    ['+54 11 15 2345 6789', undefined, '+5491123456789'],
  ])('reads %j in %s', (text, country, number) => {
    expect(peerNumber(text, country)).toBe(number);
  });

  it.each<[string, Country | undefined]>([
    ['07700900123', undefined],
    ['88222', 'GB'],
    ['22000', 'DE'],
    ['110', 'DE'],
    ['116117', 'DE'],
    ['911', 'US'],
    ['BANK', undefined],
    ['My Bank (Info)', 'DE'],
    ['info@example.com', 'DE'],
    ['+491', undefined],
    ['13812345678', undefined],
    ['11987654321', undefined],
    ['89161234567', undefined],
    ['7700900123', undefined],
    ['447700900123.0', 'GB'],
    ['+999123456789', undefined],
    ['', 'DE'],
    ['😀', 'DE'],
  ])('leaves %j in %s as it is', (text, country) => {
    expect(peerNumber(text, country)).toBe(text);
  });

  it.each<[person: string, number: string, spellings: [string, Country?][]]>([
    [
      'without a country',
      '+447700900123',
      [
        ['447700900123'],
        ['+447700900123'],
        ['00447700900123'],
        ['44 (0)7700 900123'],
        ['0044 7700 900123', 'US'],
      ],
    ],
    ['whose number cannot be read', '07700900123', [['07700 900123'], ['(07700) 900-123'], ['٠٧٧٠٠٩٠٠١٢٣']]],
    [
      'in Mexico',
      '+525512345678',
      [
        ['+525512345678'],
        ['+52 1 55 1234 5678'],
        ['5215512345678'],
        ['005215512345678'],
        ['55 1234 5678', 'MX'],
      ],
    ],
    [
      'in Argentina',
      '+5491123456789',
      [
        ['+54 9 11 2345-6789'],
        ['+54 11 2345 6789'],
        ['+54 11 15 2345 6789'],
        ['541123456789'],
        ['011 15 2345-6789', 'AR'],
        ['11 2345 6789', 'AR'],
      ],
    ],
    ['in another area of Argentina', '+5492235123456', [['0223 15 512 3456', 'AR'], ['+54 223 512 3456']]],
    [
      'in Brazil',
      '+5511987654321',
      [
        ['+55 11 8765 4321'],
        ['+5511987654321'],
        ['551187654321'],
        ['011 8765-4321', 'BR'],
        ['(11) 98765-4321', 'BR'],
      ],
    ],
  ])('has one form for a person %s', (_, number, spellings) => {
    for (const [spelling, country] of spellings) expect(peerNumber(spelling, country)).toBe(number);
  });

  it.each<[string, Country | undefined, string]>([
    ['+55 11 3765-4321', undefined, '+551137654321'],
    ['+54 800 123 4567', undefined, '+548001234567'],
    ['13105551234', undefined, '+13105551234'],
  ])('leaves the spelling of %j, which is no mobile number there', (text, country, number) => {
    expect(peerNumber(text, country)).toBe(number);
  });

  it('bounds what it leaves', () => {
    expect(peerNumber('x'.repeat(300))).toHaveLength(256);
    expect(peerNumber(`+${'1'.repeat(1_000_000)}`)).toHaveLength(256);
  });

  it('reads plain numbers as libphonenumber-js does', () => {
    const code = fc.oneof(
      fc.constantFrom('1', '44', '7', '52', '54', '55', '61', '86', '36'),
      fc.integer({ min: 1, max: 999 }).map(String),
      fc.integer({ min: 30, max: 98 }).map(String),
    );
    const digit = fc.nat(9).map(String);
    const numbers = fc
      .tuple(code, fc.string({ unit: digit, minLength: 5, maxLength: 13 }))
      .map(([calling, national]) => `+${calling}${national}`)
      .filter((number) => number.length <= 16);
    fc.assert(
      fc.property(numbers, (number) => {
        // Those are joined, see above.
        fc.pre(!/^\+5[245]/.test(number));
        const parse = (text: string) => {
          const parsed = parsePhoneNumberFromString(text, { extract: false });
          return parsed?.isPossible() ? parsed.number : text;
        };
        const once = parse(number);
        fc.pre(parse(once) === once && normalizePhoneNumber(number) === number);
        expect(peerNumber(number)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has no zeros in front of the national number, however many are dialled', () => {
    expect(peerNumber('0009397', 'DE')).toBe('+499397');
  });

  it('is the same when it is applied again', () => {
    const numbers = fc.string({
      unit: fc.constantFrom('+', '(', ' ', '0', '1', '2', '3', '4', '5', '7', '9'),
      maxLength: 17,
    });
    const prefix = fc.constantFrom('', '+', '00', '0', '52', '+521', '54', '+5411', '55', '+5511');
    const countries = fc.constantFrom<(Country | undefined)[]>(
      undefined,
      'DE',
      'US',
      'IT',
      'AR',
      'BR',
      'MX',
      'GB',
    );
    fc.assert(
      fc.property(prefix, numbers, countries, (start, text, country) => {
        const peer = peerNumber(start + text, country);
        expect(peerNumber(peer, country)).toBe(peer);
        if (peer.startsWith('+')) expect(peerNumber(peer)).toBe(peer);
      }),
      { numRuns: 4_000 },
    );
  });

  it('reads what is dialled inside a country as libphonenumber-js does', () => {
    const digits = fc.string({ unit: fc.nat(9).map(String), minLength: 7, maxLength: 11 });
    const prefixes = fc.constantFrom('0', '1', '8', '06', '80');
    fc.assert(
      fc.property(fc.constantFrom(...COUNTRIES), prefixes, digits, (country, prefix, rest) => {
        const number = readDialled(prefix + rest, country);
        const parsed = parsePhoneNumberFromString(prefix + rest, { defaultCountry: country, extract: false });
        fc.pre(number !== undefined && parsed?.isValid() === true);
        // Some countries have other international prefixes than 00, such as Israel and Mexico.
        fc.pre(parsed.countryCallingCode === getCountryCallingCode(country));
        expect(number).toBe(parsed.number);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('peerNumberForms', () => {
  it.each([
    ['+447700900123', []],
    [' 447700900123', []], // an unencoded +
    ['447700900123', []],
    ['+44 (0)7700 900123', []],
    ['0044 7700 900123', []],
    ['07700 900123', ['DE', 'GB']],
  ] as [string, Country[]][])('finds a number by %j', (typed, countries) => {
    for (const stored of ['+447700900123', '07700 900123']) {
      const isNational = !stored.startsWith('+');
      const peer = peerNumber(stored, isNational ? 'GB' : undefined);
      expect(peerNumberForms(typed, countries)).toContain(peer);
    }
  });

  it.each(['07700900123', '07700 900123', '88222', 'BANK', '+49 1', '491511'])(
    'finds %j, which was stored as it is',
    (text) => {
      expect(peerNumberForms(text, ['FR'])).toContain(peerNumber(text));
    },
  );

  it('compares names with their case', () => {
    expect(peerNumberForms('Bank', ['DE'])).toEqual(['Bank']);
  });
});

describe('parseCountry', () => {
  it.each([
    ['de', 'DE'],
    ['GB', 'GB'],
    ['', undefined],
    ['xx', undefined],
    ['DEU', undefined],
    ['constructor', undefined],
    [undefined, undefined],
  ])('reads %j', (text, country) => {
    expect(parseCountry(text)).toBe(country);
  });
});
