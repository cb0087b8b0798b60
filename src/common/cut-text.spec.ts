import { cutText } from './cut-text';

describe('cutText', () => {
  it('counts characters, not code units, and never splits a surrogate pair', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcd', 3)).toBe('abc');
    expect(cutText('😀😀', 2)).toBe('😀😀');
    expect(cutText('😀😀😀', 2)).toBe('😀😀');
    expect(cutText('a😀b', 2)).toBe('a😀');
  });
});
