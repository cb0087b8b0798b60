import type { RowName } from '../options';

/** The cost of a row at each size. */
export interface Series {
  readonly row: RowName;
  /** Milliseconds per unit, in the order of the sizes. */
  readonly costs: readonly number[];
}

/** The costs along one axis. */
export interface Growth {
  /** The name of the axis, such as `stored messages`. */
  readonly axis: string;
  /** What is constant at all sizes. */
  readonly fixed: string;
  readonly sizes: readonly number[];
  readonly series: readonly Series[];
}
