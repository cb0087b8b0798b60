import type { BatchSummaryResponse } from '../../generated';

/** The states of messages, from done to lost. */
export const STATES = [
  'delivered',
  'sent',
  'dispatched',
  'pending',
  'unknown',
  'cancelled',
  'failed',
] as const;
export type Counts = Readonly<Record<(typeof STATES)[number], number>>;

/** How many messages are in each state: cancelled ones apart from failed ones. */
export function countsOf(batch: Pick<BatchSummaryResponse, 'states' | 'cancelledCount'>): Counts {
  const { states, cancelledCount } = batch;
  return { ...states, failed: states.failed - cancelledCount, cancelled: cancelledCount };
}
