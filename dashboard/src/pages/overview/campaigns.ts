import { countsOf, type CountedBatch } from '../../components/batch-counts';

/** How far a campaign is. */
export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/** Cancelled and suppressed messages count for nothing. @returns undefined if nothing of it waits or is on a phone. */
export function progressOf(batch: CountedBatch): Progress | undefined {
  const { pending, dispatched, sent, delivered, failed, unknown } = countsOf(batch);
  if (pending + dispatched === 0) return undefined;
  const [done, lost] = [sent + delivered, failed + unknown];
  return { done, failed: lost, total: pending + dispatched + done + lost };
}
