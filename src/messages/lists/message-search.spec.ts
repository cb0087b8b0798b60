import fc from 'fast-check';
import type { Country } from '../../common/peer-number';
import { searchPatterns } from './message-search';

const found = (pattern: string, text: string) => new RegExp(pattern, 'iu').test(text);

describe('searchPatterns', () => {
  it('matches the search term literally at any position', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, fc.string({ unit: 'grapheme', minLength: 1 }), (before, after, typed) => {
        expect(found(searchPatterns(typed).text, before + typed + after)).toBe(true);
        expect(found(searchPatterns(typed).number, before + typed + after)).toBe(true);
      }),
    );
  });

  it.each(['.*', '^', '$', 'a|b', '[a-z]', '(?i)x', '\\d', '\\', 'x{0}', '(', '?', '+', 'a\0'])(
    'matches %j literally only',
    (typed) => {
      expect(found(searchPatterns(typed).text, 'xyz abc 123')).toBe(false);
      expect(found(searchPatterns(typed).text, `xyz ${typed} 123`)).toBe(true);
    },
  );

  it.each([
    '+49 (151) 123-456.78',
    '+49/151/12345678',
    ' 4915112345678', // an unencoded +
    '151\u00a01234\u20115678',
    '15112345678',
  ])('matches the number %j as stored and as typed', (typed) => {
    expect(found(searchPatterns(typed).number, '+4915112345678')).toBe(true);
    expect(found(searchPatterns(typed).number, `x${typed}x`)).toBe(true);
  });

  it.each<[typed: string, Country[]]>([
    ['+44 7700 900123', []],
    ['447700900123', []],
    ['0044 7700 900123', []],
    ['07700 900123', []],
    ['(0)7700-900.123', []],
    ['+44 (0)7700 900123', []],
    ['+44 (0)77', []],
    ['+44 0770', []],
    ['0044 0770', []],
    ['0770', []],
    ['7700/9001', []],
    ['٠٧٧٠٠ ٩٠٠١', []],
    ['07700 900123', ['DE', 'GB']],
  ])('finds +447700900123 in comparable form by %j', (typed, countries) => {
    expect(found(searchPatterns(typed, countries).peer ?? 'none', '+447700900123')).toBe(true);
    expect(found(searchPatterns(typed, countries).peer ?? 'none', '+447811111111')).toBe(false);
  });

  it.each<[typed: string, Country[], peer: string]>([
    ['+52 1 55 1234 5678', [], '+525512345678'],
    ['011 15 2345-6789', ['AR'], '+5491123456789'],
    ['+55 11 8765 4321', [], '+5511987654321'],
    ['+447700900123', [], '07700900123'], // stored without a known country
  ])('finds a person by the spelling %j', (typed, countries, peer) => {
    expect(found(searchPatterns(typed, countries).peer ?? 'none', peer)).toBe(true);
  });

  it.each(['0', '00', '+49', '004', 'a 0151', '12:30', ''])('has no comparable form of %j', (typed) => {
    expect(searchPatterns(typed)).not.toHaveProperty('peer');
  });

  it.each(['(1)', '-', 'Bank (2)', '+49 151 x', '1'.repeat(16)])('does not treat %j as a number', (typed) => {
    expect(searchPatterns(typed).number).toBe(searchPatterns(typed).text);
  });
});
