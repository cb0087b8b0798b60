import type { EstimateResponse } from '../../generated';

/** Sooner is at once. */
const SOON_MS = 60_000;

/**
 * When the last message of an estimated send leaves, in milliseconds since 1970; undefined if all leave at once.
 * @param estimatedAt in milliseconds since 1970.
 */
export function endOfEstimate(
  { estimatedCompletionAt, sims, heldBack }: EstimateResponse,
  estimatedAt: number,
  scheduledAt: string | undefined,
): number | undefined {
  const times = [estimatedCompletionAt, scheduledAt, ...[...sims, ...heldBack].map(({ until }) => until)];
  const end = Math.max(0, ...times.filter((time) => time != null).map((time) => Date.parse(time)));
  return end > estimatedAt + SOON_MS ? end : undefined;
}
