import type { BatchSummaryResponse } from '../../../generated';

/** How far a campaign is. */
export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/** @returns undefined if nothing of it waits or is on a phone. */
export function progressOf({
  states,
  cancelledCount,
}: Pick<BatchSummaryResponse, 'states' | 'cancelledCount'>): Progress | undefined {
  const { pending, dispatched, sent, delivered, failed, unknown } = states;
  if (pending + dispatched === 0) return undefined;
  return {
    done: sent + delivered,
    failed: failed - cancelledCount + unknown,
    total: pending + dispatched + sent + delivered + failed + unknown - cancelledCount,
  };
}
