import type { Second } from './meter';
import type { RedisLeft } from './redis-view';

/** What a run came to, beside what it has seen. */
export interface LoadFigures {
  readonly folder: string;
  readonly due: number;
  /** Sends that this program began late, and by how much it was held up at the worst, in milliseconds. */
  readonly late: number;
  readonly longestStallMs: number;
  readonly answerTimes: readonly number[];
  readonly toPhoneTimes: readonly number[];
  readonly seconds: readonly Second[];
  readonly reopenedStreams: number;
  readonly webhookRequests: number;
  readonly replayed: number;
  readonly mostWaiting: number;
  /** From the return of the receiver until it had all there was, in seconds. */
  readonly caughtUpAfter: number | undefined;
  /** From the last send until nothing moved any more, in seconds. */
  readonly settledAfter: number;
  /** Cores that were busy while the load ran: of the service, this program, its database, and the whole machine. */
  readonly cores: Readonly<Record<string, number>>;
  readonly redis: RedisLeft;
}
