import { AppError } from '../errors';
import { assertPlausible } from './body-shape';

describe('a body', () => {
  const nested = (levels: number): object =>
    Array.from({ length: levels - 1 }).reduce<object>((inner) => ({ inner }), { text: 'x' });
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
  const list = (count: number) => Array.from({ length: count }, (_, i) => i);

  it.each<[string, object]>([
    ['nothing', {}],
    ['32 levels', nested(32)],
    ['1,000 fields', fields(1_000)],
    ['20,000 elements', { list: list(20_000) }],
    [
      'the largest bulk send',
      { messages: list(10_000).map(() => ({ message: 'x', recipients: ['123'], at: 'y' })) },
    ],
  ])('may have %s', (_, body) => {
    expect(() => {
      assertPlausible(body);
    }).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['33 levels', nested(33), 'MALFORMED_BODY'],
    [
      'a list of 33 levels',
      { list: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown },
      'MALFORMED_BODY',
    ],
    ['1,001 fields', fields(1_001), 'MALFORMED_BODY'],
    ['20,001 elements', { a: { list: list(20_001) } }, 'VALIDATION_FAILED'],
    ['200,001 values', { lists: list(11).map(() => list(20_000)) }, 'MALFORMED_BODY'],
  ])('may not have %s', (_, body, code) => {
    const fault = (() => {
      try {
        assertPlausible(body);
        return undefined;
      } catch (failure) {
        return failure;
      }
    })();
    expect(fault).toBeInstanceOf(AppError);
    expect(fault).toMatchObject({ code });
    if (code === 'VALIDATION_FAILED') expect(fault).toMatchObject({ details: [{ field: 'a.list' }] });
  });
});
