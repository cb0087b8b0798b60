import { between, median, percentile } from './figures';

describe('the figures of a load test', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('a percentile is a value that occurred', () => {
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([7], 0.5)).toBe(7);
    expect(median([3, 1, 2])).toBe(2);
  });

  it('of nothing there is none', () => {
    expect(percentile([], 0.99)).toBeNaN();
  });

  it('cuts a series into quarters', () => {
    expect(between([1, 2, 3, 4, 5, 6, 7, 8], 0.25, 0.5)).toEqual([3, 4]);
    expect(between([1, 2, 3, 4, 5, 6, 7, 8], 0.75, 1)).toEqual([7, 8]);
  });
});
