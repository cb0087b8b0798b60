import type { SimRecord } from '../schemas/sim.schema';
import { PERIOD_LIMITS, type PeriodLimit } from '../../states/wait-reasons';
import type { WaitingCandidate } from './admission';

export interface ReachedLimit {
  readonly limit: PeriodLimit;
  /** The limit as it is set. */
  readonly value: number;
  /** When the period ends. */
  readonly resetsAt: Date;
}

/** The limits that hold messages back and, as far as the record of the SIM tells, had not done so in this period. */
export function newlyReached(
  { limits = {}, limitsReached = {} }: Pick<SimRecord, 'limits' | 'limitsReached'>,
  waiting: readonly WaitingCandidate[],
): ReachedLimit[] {
  const reached = new Map<PeriodLimit, ReachedLimit>();
  for (const { reason, until } of waiting) {
    if (reason === 'parts_per_minute') continue;
    const limit = PERIOD_LIMITS[reason];
    const value = limits[limit];
    const known = limitsReached[limit];
    if (value !== undefined && (!known || known < until))
      reached.set(limit, { limit, value, resetsAt: until });
  }
  return [...reached.values()];
}
