import type { EstimateResponse } from '../../generated';

/** When the last message of an estimated send leaves, in milliseconds since 1970; 0 if all leave at once. */
export function endOfEstimate(
  { estimatedCompletionAt, sims, heldBack }: EstimateResponse,
  scheduledAt: string | undefined,
): number {
  const ends = [estimatedCompletionAt, scheduledAt, ...[...sims, ...heldBack].map(({ until }) => until)];
  return ends.reduce((last, time) => (time ? Math.max(last, Date.parse(time)) : last), 0);
}
