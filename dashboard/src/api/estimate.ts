import type { EstimateResponse } from '../../generated';

/** Sooner is at once. */
const SOON_MS = 60_000;

/** Whether all messages of an estimated send wait for something without a known end: none leaves at once. */
export function waitsOpenEnded({ messages, heldBack }: EstimateResponse): boolean {
  const open = heldBack.filter(({ until }) => !until);
  return Math.max(0, ...open.map(({ count }) => count)) >= messages;
}

/**
 * When the first message of an estimated send leaves: in milliseconds since 1970, `unknown` if all are held back and it is not
 * known of the first, or undefined if it leaves at once.
 */
export function startOfEstimate(
  { messages, heldBack }: Pick<EstimateResponse, 'messages' | 'heldBack'>,
  estimatedAt: number,
): number | 'unknown' | undefined {
  // The time of a reason is when the last of its messages leaves.
  const ofAll = heldBack.flatMap(({ count, until }) => (count >= messages && until ? Date.parse(until) : []));
  const until = Math.max(0, ...ofAll);
  if (until <= estimatedAt + SOON_MS) return undefined;
  return messages === 1 ? until : 'unknown';
}

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
