import type { SecondSample } from './meter';
import type { RedisLeftovers } from './redis-view';

/** Figures of a run in addition to its evidence. */
export interface LoadFigures {
  readonly folder: string;
  readonly dueSends: number;
  /** Sends that the test started late, and its longest event loop delay in milliseconds. */
  readonly lateSends: number;
  readonly longestStallMs: number;
  readonly responseTimes: readonly number[];
  readonly sendToPhoneTimes: readonly number[];
  readonly seconds: readonly SecondSample[];
  readonly reopenedStreams: number;
  readonly webhookRequests: number;
  readonly replayed: number;
  readonly maxBacklog: number;
  /** Seconds from the recovery of the receiver until its backlog was cleared. */
  readonly backlogClearedAfter: number | undefined;
  /** Seconds from the last send until everything was settled. */
  readonly settledAfter: number;
  /** Busy cores during the load, by process. */
  readonly cores: Readonly<Record<string, number>>;
  readonly redis: RedisLeftovers;
}
