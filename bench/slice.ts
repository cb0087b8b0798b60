/** What one side of a row did in a stretch of time. */
export interface Slice {
  /** What the row counts: sends, recipients, reports… */
  readonly units: number;
  readonly seconds: number;
  /** How long each operation took, in milliseconds; an operation may be many units. */
  readonly times: readonly number[];
}

/** One side of a row: the service, or the bare driver. */
export interface Side {
  /** Makes what so many units need, and is not timed. */
  prepare(units: number): Promise<void>;
  /** Works for so long, or until what was prepared is used up. @param lanes operations under way at a time. */
  run(seconds: number, lanes: number): Promise<Slice>;
}

export function rateOf(slices: readonly Slice[]): number {
  const units = slices.reduce((sum, slice) => sum + slice.units, 0);
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  return units / seconds;
}
