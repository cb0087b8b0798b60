import { formatDuration } from './duration';

describe('a duration', () => {
  it.each([
    [0, '0 seconds'],
    [999, '0 seconds'],
    [1_000, '1 second'],
    [59_999, '59 seconds'],
    [3_599_999, '59 minutes'],
    [86_400_000, '1 day'],
  ])('of %d ms', (ms, text) => {
    expect(formatDuration(ms, 'en')).toBe(text);
  });

  it('is in the chosen language', () => {
    expect(formatDuration(7_200_000, 'de')).toBe('2 Stunden');
  });
});
