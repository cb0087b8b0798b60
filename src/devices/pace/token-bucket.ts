import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/durations';

/** Above what 50 texts of 24 parts draw at the default pace. A clock that was set back then delays nothing for longer. */
const MAX_DEBT_MS = HOUR_MS;

/** The share of a minute's parts that may leave together: 6 of 24, which makes 30 in the worst minute. */
const BURST_SHARE = 1 / 4;

/** Hand-overs take unequally long. */
const HAND_OVER_MARGIN_MS = 2 * SECOND_MS;

/** Android allows an app 30 parts a minute: 24, and a burst of 6. */
export const DEFAULT_PARTS_PER_MINUTE = 24;

/** A token bucket of message parts. Its state is one number: the time when it is full again, in milliseconds since 1970. */
export interface Pace {
  readonly msPerPart: number;
  /** Parts in a full bucket. */
  readonly burst: number;
}

export function paceOf(partsPerMinute: number): Pace {
  return {
    msPerPart: MINUTE_MS / partsPerMinute,
    burst: Math.max(1, Math.floor(partsPerMinute * BURST_SHARE)),
  };
}

const bounded = (fullAt: number | undefined, now: number) => Math.min(fullAt ?? now, now + MAX_DEBT_MS);

/**
 * When a message may leave if nothing else does, in milliseconds since 1970; now, if that is not later than `now`. One that
 * is longer than the bucket leaves when the bucket is full.
 */
export function mayLeaveAt(
  { msPerPart, burst }: Pace,
  fullAt: number | undefined,
  parts: number,
  now: number,
): number {
  return bounded(fullAt, now) - (burst - Math.min(parts, burst)) * msPerPart;
}

/**
 * Whether parts leave together without exceeding, with all that left in the minute before, a minute's parts and a burst: what
 * is more than the bucket was saved since it is full.
 */
export function mayLeaveTogether(
  { msPerPart, burst }: Pace,
  fullAt: number | undefined,
  parts: number,
  now: number,
): boolean {
  if (parts * msPerPart > MINUTE_MS) return false;
  return fullAt === undefined || bounded(fullAt, now) - (burst - parts) * msPerPart <= now;
}

/**
 * The time for which a text occupies the pace of a phone, in milliseconds. Texts that are longer than the burst leave whole, so
 * that of 30 parts a minute two texts of eleven parts leave eight unused.
 */
export function occupiedMs({ msPerPart, burst }: Pace, parts: number): number {
  const drawnMs = parts * msPerPart;
  if (parts <= burst) return drawnMs;
  const perMinute = Math.floor((MINUTE_MS / msPerPart + burst) / parts);
  return perMinute === 0 ? drawnMs : Math.max(drawnMs, (MINUTE_MS + HAND_OVER_MARGIN_MS) / perMinute);
}

/** Draws parts, also more than there are. @returns when the bucket is full again. */
export function draw({ msPerPart }: Pace, fullAt: number | undefined, parts: number, now: number): number {
  return drawTime(fullAt, parts * msPerPart, now);
}

/** `draw` by the time for which parts occupy the pace, see `occupiedMs`. */
export function drawTime(fullAt: number | undefined, occupied: number, now: number): number {
  return Math.max(bounded(fullAt, now), now) + occupied;
}

/**
 * `draw` as an expression of a pipeline update.
 * @param fullAt the path of the state, such as `$pacedUntil`.
 * @param drawnMs an expression for the parts times `msPerPart`.
 */
export function drawExpression(fullAt: string, drawnMs: unknown, now: number) {
  return { $add: [{ $max: [{ $min: [{ $ifNull: [fullAt, now] }, now + MAX_DEBT_MS] }, now] }, drawnMs] };
}

/** The parts that were drawn and have not been refilled. */
export function partsDrawn({ msPerPart }: Pace, fullAt: number | undefined, now: number): number {
  return Math.ceil(Math.max(0, bounded(fullAt, now) - now) / msPerPart);
}
