import { countParts } from './message-parts';

describe('countParts', () => {
  it.each([
    ['', 1],
    ['x'.repeat(160), 1],
    ['x'.repeat(161), 2],
    ['x'.repeat(1_377), 9],
    ['x'.repeat(1_600), 11],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['я'.repeat(70), 1],
    ['я'.repeat(71), 2],
    ['я'.repeat(1_600), 24],
  ])('counts the parts of %p', (text, parts) => {
    expect(countParts(text)).toBe(parts);
  });
});
