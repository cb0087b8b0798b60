import { plausibleTime, readPhoneTime } from './phone-time';

const NOW = new Date('2026-01-31T12:00:00Z');

describe('readPhoneTime', () => {
  it.each([
    [1767225600000, 1767225600000],
    ['1767225600000', 1767225600000],
    [' 1767225600000 ', 1767225600000],
    ['1767225600000.0', 1767225600000],
    ['1.7672256E12', 1767225600000],
    ['2026-01-01T00:00:00Z', 1767225600000],
    ['2026-01-01T01:00:00+01:00', 1767225600000],
    [0, 0],
    [-1, -1],
    [1e300, 1e300],
    ['', undefined],
    [' ', undefined],
    ['yesterday', undefined],
    ['1'.repeat(65), undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
    [[1767225600000], undefined],
  ])('reads %p as %p', (value, millis) => {
    expect(readPhoneTime(value)).toBe(millis);
  });
});

describe('plausibleTime', () => {
  it.each([
    ['2000-01-01T00:00:00Z', true],
    ['2026-02-01T12:00:00Z', true],
    ['1999-12-31T23:59:59.999Z', false],
    ['1980-01-06T00:00:00Z', false],
    ['1970-01-21T11:37:40Z', false],
    ['2026-02-01T12:00:00.001Z', false],
    ['+275760-09-13T00:00:00Z', false],
  ])('of %s: %p', (text, isPlausible) => {
    expect(plausibleTime(Date.parse(text), NOW)).toEqual(isPlausible ? new Date(text) : undefined);
  });

  it('is undefined for what is not a time', () => {
    for (const millis of [undefined, 1e300, -1e300, 0]) expect(plausibleTime(millis, NOW)).toBeUndefined();
  });
});
