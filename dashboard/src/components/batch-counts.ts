import type { BatchSummaryResponse } from '../../generated';

/** The states of messages, from done to lost. */
export const STATES = [
  'delivered',
  'sent',
  'dispatched',
  'pending',
  'unknown',
  'cancelled',
  'suppressed',
  'failed',
] as const;
export type Counts = Readonly<Record<(typeof STATES)[number], number>>;

/** What the counts are derived from. */
export type CountedBatch = Pick<BatchSummaryResponse, 'states' | 'cancelledCount' | 'suppressedCount'>;

/** How many messages are in each state: those that were cancelled, or whose recipients are blocked, apart from failed ones. */
export function countsOf({ states, cancelledCount, suppressedCount }: CountedBatch): Counts {
  const failed = states.failed - cancelledCount - suppressedCount;
  return { ...states, failed, cancelled: cancelledCount, suppressed: suppressedCount };
}
