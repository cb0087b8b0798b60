import type { Kill } from './kill-plan';

/** What a run came to, beside what it has seen. */
export interface ChaosFigures {
  readonly kills: ReadonlyMap<Kill, number>;
  readonly restarts: number;
  readonly redeliveredByHand: number;
  /** Counters that differed from what they count before they were counted anew. */
  readonly drifted: number;
  readonly slowestStopMs: number;
  readonly folder: string;
}
