import { sliceBetween, median, percentile } from './statistics';

describe('load test statistics', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('compute a percentile as one of the values', () => {
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([7], 0.5)).toBe(7);
    expect(median([3, 1, 2])).toBe(2);
  });

  it('return NaN without values', () => {
    expect(percentile([], 0.99)).toBeNaN();
  });

  it('slice a series into quarters', () => {
    expect(sliceBetween([1, 2, 3, 4, 5, 6, 7, 8], 0.25, 0.5)).toEqual([3, 4]);
    expect(sliceBetween([1, 2, 3, 4, 5, 6, 7, 8], 0.75, 1)).toEqual([7, 8]);
  });
});
