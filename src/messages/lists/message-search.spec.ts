import fc from 'fast-check';
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

  it.each(['(1)', '-', 'Bank (2)', '+49 151 x', '1'.repeat(16)])('does not treat %j as a number', (typed) => {
    expect(searchPatterns(typed).number).toBe(searchPatterns(typed).text);
  });
});
