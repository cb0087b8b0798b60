import type { RowName } from '../options';

/** What a row costs at each size. */
export interface Series {
  readonly row: RowName;
  /** Milliseconds of the service for one unit, by size; in the order of the sizes. */
  readonly costs: readonly number[];
}

/** How costs grow along one axis. */
export interface Growth {
  /** What is counted along the axis: `stored messages`. */
  readonly axis: string;
  /** What was the same at all sizes. */
  readonly fixed: string;
  readonly sizes: readonly number[];
  readonly series: readonly Series[];
}
