/** The percentile of a share such as 0.99; NaN without values. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** A part of a series by fractions of its length: 0.25 to 0.5 is its second quarter. */
export function sliceBetween<T>(series: readonly T[], from: number, to: number): T[] {
  return series.slice(Math.floor(series.length * from), Math.floor(series.length * to));
}
