import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type Country, contactNumber, contactNumberForms, parseCountry } from './contact-number';

describe('contactNumber', () => {
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
    expect(contactNumber(text, country)).toBe(number);
  });

  it.each<[string, Country | undefined]>([
    ['07700 900123', undefined],
    ['447700900123', undefined],
    ['88222', 'GB'],
    ['22000', 'DE'],
    ['110', 'DE'],
    ['116117', 'DE'],
    ['911', 'US'],
    ['BANK', undefined],
    ['My Bank (Info)', 'DE'],
    ['info@example.com', 'DE'],
    ['+49 1', undefined],
    ['+999123456789', undefined],
    ['', 'DE'],
    ['😀', 'DE'],
  ])('leaves %j in %s as it is', (text, country) => {
    expect(contactNumber(text, country)).toBe(text);
  });

  it('bounds what it leaves', () => {
    expect(contactNumber('x'.repeat(300))).toHaveLength(256);
    expect(contactNumber(`+${'1'.repeat(1_000_000)}`)).toHaveLength(256);
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
        const parse = (text: string) => {
          const parsed = parsePhoneNumberFromString(text, { extract: false });
          return parsed?.isPossible() ? parsed.number : text;
        };
        const once = parse(number);
        fc.pre(parse(once) === once);
        expect(contactNumber(number)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has no zeros in front of the national number, however many are dialled', () => {
    expect(contactNumber('0009397', 'DE')).toBe('+499397');
  });

  it('is the same when it is applied again', () => {
    const numbers = fc.string({
      unit: fc.constantFrom('+', '(', ' ', '0', '1', '3', '4', '5', '7', '9'),
      maxLength: 17,
    });
    fc.assert(
      fc.property(numbers, fc.constantFrom<Country[]>('DE', 'US', 'IT', 'AR', 'BR'), (text, country) => {
        const contact = contactNumber(text, country);
        if (contact.startsWith('+')) expect(contactNumber(contact)).toBe(contact);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('contactNumberForms', () => {
  it.each([
    ['+447700900123', []],
    [' 447700900123', []], // an unencoded +
    ['447700900123', []],
    ['+44 (0)7700 900123', []],
    ['07700 900123', ['DE', 'GB']],
  ] as [string, Country[]][])('finds a number by %j', (typed, countries) => {
    for (const stored of ['+447700900123', '07700 900123']) {
      const isNational = !stored.startsWith('+');
      const contact = contactNumber(stored, isNational ? 'GB' : undefined);
      expect(contactNumberForms(typed, countries)).toContain(contact);
    }
  });

  it.each(['07700900123', '88222', 'BANK', '+49 1', '491511'])(
    'finds %j, which was stored as it is',
    (text) => {
      expect(contactNumberForms(text, ['FR'])).toContain(contactNumber(text));
    },
  );

  it('compares names with their case', () => {
    expect(contactNumberForms('Bank', ['DE'])).toEqual(['Bank']);
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
