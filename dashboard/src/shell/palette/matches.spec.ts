import { matches, numberIn } from './matches';

describe('what the palette finds by itself', () => {
  it.each([
    ['', true],
    ['pho', true],
    ['PAIR', true],
    ['phone pair', true],
    ['móvil', true],
    ['movil', true],
    ['pool', false],
    ['pair pool', false],
  ])('%j', (query, expected) => {
    expect(matches(query, ['Pair a phone', undefined, 'QR Móvil'])).toBe(expected);
  });
});

describe('a number that is looked for', () => {
  it.each([
    ['+44 7700 900-123', '+447700900123'],
    ['(07700) 900123', '07700900123'],
    ['0044 7700 900123', '00447700900123'],
    ['1234', undefined],
    ['order 12345', undefined],
    ['', undefined],
  ])('%j: %s', (query, expected) => {
    expect(numberIn(query)).toBe(expected);
  });
});
