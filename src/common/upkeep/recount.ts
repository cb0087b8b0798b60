import type { Types } from 'mongoose';

/** Counters that are kept for speed, and can be counted anew from what they count. */
export interface Recount {
  readonly name: string;
  /** Who has such counters, in the order of their ids: at most `limit` after `after`. */
  listAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]>;
  /**
   * Reads the counters of one, then counts their source, through indexes only.
   * @returns `unclear` when something is under way that makes them differ for the moment.
   */
  look(id: Types.ObjectId): Promise<'right' | 'unclear' | Drift>;
}

export interface Drift {
  /** What must be added to each counter. */
  readonly by: Readonly<Record<string, number>>;
  /** Writes what was counted, unless the counters have moved since they were read. @returns whether it was written. */
  mend(): Promise<boolean>;
}

/** @returns `right` when nothing must be added. */
export function driftBy(by: Drift['by'], mend: Drift['mend']): 'right' | Drift {
  return Object.values(by).every((difference) => difference === 0) ? 'right' : { by, mend };
}
