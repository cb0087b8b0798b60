import type { Kill } from './kill-plan';

/** Figures of a run in addition to its evidence. */
export interface ChaosFigures {
  readonly kills: ReadonlyMap<Kill, number>;
  readonly restarts: number;
  readonly manualRedeliveries: number;
  /** Kills of schedulers between steps of maintenance. */
  readonly stepKills: number;
  readonly removedMessages: number;
  /** Reports on messages that retention had removed. */
  readonly lateReports: number;
  readonly slowestStopMs: number;
  readonly folder: string;
}
