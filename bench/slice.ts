/** The result of one side of a row in a period of time. */
export interface Slice {
  /** What the row counts: sends, recipients, reports… */
  readonly units: number;
  readonly seconds: number;
  /** The milliseconds of each operation. An operation may have many units. */
  readonly times: readonly number[];
}

/** One side of a row: the service or the bare driver. */
export interface Side {
  /** Prepares a number of units, outside the measured time. */
  prepare(units: number): Promise<void>;
  /** Runs for a time or until the prepared units are used up. @param lanes concurrent operations. */
  run(seconds: number, lanes: number): Promise<Slice>;
}

export function rateOf(slices: readonly Slice[]): number {
  const units = slices.reduce((sum, slice) => sum + slice.units, 0);
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  return units / seconds;
}
