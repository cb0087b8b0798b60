import { truncateText } from './truncate-text';

describe('truncateText', () => {
  it('counts code points and does not split a surrogate pair', () => {
    expect(truncateText('abc', 3)).toBe('abc');
    expect(truncateText('abcd', 3)).toBe('abc');
    expect(truncateText('😀😀', 2)).toBe('😀😀');
    expect(truncateText('😀😀😀', 2)).toBe('😀😀');
    expect(truncateText('a😀b', 2)).toBe('a😀');
  });
});
