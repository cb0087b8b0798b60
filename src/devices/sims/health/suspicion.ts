/**
 * How strongly the latest outcomes suggest a block: a CUSUM test. Each outcome adds the logarithm of how much likelier it is
 * on a blocked SIM than on a working one, and the sum never falls below zero.
 */
export interface Suspicion {
  readonly score: number;
  /** Keys of the recipients that raised it, the latest last; at most 32. */
  readonly recipients: readonly string[];
}

/** Probabilities of a bad outcome, between 0 and 1. */
export interface Odds {
  readonly working: number;
  readonly blocked: number;
}

export const NO_SUSPICION: Suspicion = { score: 0, recipients: [] };

const CONVINCING_SCORE = 16;

const MAX_RECIPIENTS = 32;

/** The weight of another bad outcome with the same recipient, whose number or phone may be the cause. */
const SAME_RECIPIENT_WEIGHT = 0.15;

export const isConvincing = ({ score }: Suspicion): boolean => score >= CONVINCING_SCORE;

/** The suspicion after one more outcome. */
export function weigh(
  { score, recipients }: Suspicion,
  { isBad, recipient }: { readonly isBad: boolean; readonly recipient: string },
  { working, blocked }: Odds,
): Suspicion {
  if (!isBad) {
    const lowered = score + Math.log((1 - blocked) / (1 - working));
    return lowered > 0 ? { score: lowered, recipients } : NO_SUSPICION;
  }
  const points = Math.log(blocked / working);
  if (recipients.includes(recipient)) return { score: score + SAME_RECIPIENT_WEIGHT * points, recipients };
  return { score: score + points, recipients: [...recipients, recipient].slice(-MAX_RECIPIENTS) };
}
