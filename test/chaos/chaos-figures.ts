import type { Kill } from './kill-plan';

/** Figures of a run in addition to its evidence. */
export interface ChaosFigures {
  readonly kills: ReadonlyMap<Kill, number>;
  readonly restarts: number;
  readonly manualRedeliveries: number;
  /** Counters that were wrong before the reconciliation. */
  readonly driftedCounters: number;
  readonly slowestStopMs: number;
  readonly folder: string;
}
