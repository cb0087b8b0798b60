import type { BatchSummaryResponse } from '../../../generated';
import { getAccountBatch } from '../../../generated';
import { countsOf, type CountedBatch } from '../../components/batch-counts';

/** Where a campaign is. */
export type Phase = 'scheduled' | 'paused' | 'sending' | 'finished' | 'cancelled';

export function phaseOf(
  batch: CountedBatch & Pick<BatchSummaryResponse, 'pausedAt' | 'scheduledAt'>,
  now = Date.now(),
): Phase {
  const { pending, dispatched, sent, delivered, failed, suppressed, unknown } = countsOf(batch);
  const ended = sent + delivered + failed + suppressed + unknown;
  if (pending + dispatched === 0) return ended === 0 ? 'cancelled' : 'finished';
  if (batch.pausedAt && pending > 0) return 'paused';
  const isEarly = batch.scheduledAt !== undefined && Date.parse(batch.scheduledAt) > now;
  return isEarly && dispatched + sent + delivered + unknown === 0 ? 'scheduled' : 'sending';
}

export const PHASE_COLORS = {
  scheduled: 'violet',
  paused: 'yellow',
  sending: 'blue',
  finished: 'gray',
  cancelled: 'orange',
} as const satisfies Record<Phase, string>;

const REFRESH_MS = 10_000;

/** So long after the end, reports of delivery are awaited. */
const REPORTS_MS = 3_600_000;

const mayChange = (batch: BatchSummaryResponse, now = Date.now()): boolean =>
  !['finished', 'cancelled'].includes(phaseOf(batch, now)) ||
  (batch.states.sent > 0 && now - Date.parse(batch.updatedAt) < REPORTS_MS);

/**
 * Reads the progress of a campaign in a list. Not at each hint, which a list of running campaigns would answer with as many reads
 * of thousands of messages, but from time to time until nothing changes any more.
 */
export const progressOptions = (id: string) => ({
  queryKey: ['campaign-progress', id],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await getAccountBatch({ path: { id }, signal, throwOnError: true })).data.data,
  refetchInterval: ({ state }: { state: { data?: BatchSummaryResponse } }) =>
    state.data && !mayChange(state.data) ? (false as const) : REFRESH_MS,
});
