/** The value that this share of the values does not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The part of a series from one share of its length to another: 0.25 to 0.5 is its second quarter. */
export function between<T>(series: readonly T[], from: number, to: number): T[] {
  return series.slice(Math.floor(series.length * from), Math.floor(series.length * to));
}
