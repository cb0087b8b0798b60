import type { Types } from 'mongoose';
import { HOUR_MS, MINUTE_MS } from '../../common/durations';
import { sum } from '../../common/sum';
import {
  drawExpression,
  drawTime,
  mayLeaveAt,
  mayLeaveTogether,
  occupiedMs,
  type Pace,
} from './token-bucket';

/** The buckets of a phone: when each is full again, in milliseconds since 1970; absent while nothing was drawn. */
export interface PhonePaceState {
  /** By everything that the phone was handed. Waves of large sends wait for it. */
  readonly pacedUntil?: number;
  /** Without those waves, so that small sends never wait for a campaign. */
  readonly smallSendsPacedUntil?: number;
}

/** The wave of a large send waits for what was handed over before; a small send books its parts in advance. */
export type PacedAs = 'wave' | 'small-send';

/** When the pace of a phone lets a message leave that has drawn its parts already. */
export interface PaceSlot {
  readonly device: Types.ObjectId;
  readonly at: Date;
}

/** A phone that is booked for longer takes no more bookings. Less than what `drawExpression` keeps. */
const MAX_BOOKED_MS = HOUR_MS / 2;

/** A slot that was missed by more than this is booked again, so that what was paused does not leave together. */
const SLOT_LIFETIME_MS = MINUTE_MS;

/**
 * When the messages of a small send leave. They leave together if all parts of the minute stay within what Android allows:
 * the phone must have sent nothing for long enough. Otherwise they leave one by one, behind the small sends before.
 * @param state before they were booked.
 * @param parts of each message, in their order.
 * @param now milliseconds since 1970.
 * @returns milliseconds since 1970; undefined if the phone is booked up, and nothing was booked.
 */
export function slotsOf(
  pace: Pace,
  { pacedUntil, smallSendsPacedUntil }: PhonePaceState,
  parts: readonly number[],
  now: number,
): number[] | undefined {
  if (isBookedUp(smallSendsPacedUntil, now)) return undefined;
  const total = sum(parts, (each) => each);
  if (mayLeaveTogether(pace, pacedUntil, total, now)) return parts.map(() => now);
  let fullAt = smallSendsPacedUntil;
  return parts.map((each) => {
    const slot = Math.max(now, Math.ceil(mayLeaveAt(pace, fullAt, each, now)));
    fullAt = drawTime(fullAt, occupiedMs(pace, each), now);
    return slot;
  });
}

/** The state after a booking. @param bookedMs what the messages occupy, see `occupiedMs`. */
export function booked(state: PhonePaceState, bookedMs: number, now: number): PhonePaceState {
  if (isBookedUp(state.smallSendsPacedUntil, now)) return state;
  return {
    pacedUntil: drawTime(state.pacedUntil, bookedMs, now),
    smallSendsPacedUntil: drawTime(state.smallSendsPacedUntil, bookedMs, now),
  };
}

/** `booked` as the values of a pipeline update. */
export function bookedExpressions(bookedMs: number, now: number) {
  const mayBook = { $lte: [drawExpression('$smallSendsPacedUntil', 0, now), now + MAX_BOOKED_MS] };
  const drawn = (field: keyof PhonePaceState) =>
    drawExpression(`$${field}`, { $cond: [mayBook, bookedMs, 0] }, now);
  return { pacedUntil: drawn('pacedUntil'), smallSendsPacedUntil: drawn('smallSendsPacedUntil') };
}

/** Whether a slot still counts. @param at milliseconds since 1970. */
export const isSlotKept = (at: number, now: number): boolean => now - at <= SLOT_LIFETIME_MS;

const isBookedUp = (fullAt: number | undefined, now: number): boolean =>
  fullAt !== undefined && fullAt > now + MAX_BOOKED_MS;
