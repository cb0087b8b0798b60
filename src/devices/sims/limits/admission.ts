import type { Types } from 'mongoose';
import { MINUTE_MS, SECOND_MS } from '../../../common/durations';
import type { LimitReason } from '../../states/wait-reasons';
import type { SimLimits } from '../schemas/sim.schema';
import type { PeriodCount, Reservation, ReservedMessage, SimUsage } from '../schemas/sim-usage.schema';
import { PERIODS } from './calendar';
import { draw, paceOf } from '../../pace/token-bucket';
import { UsageState } from './usage-state';

/** A reservation that has not ended after this time belongs to a dead process. */
export const RESERVATION_TIMEOUT_MS = MINUTE_MS;

/** How long parts are left to an urgent message after it may leave, so that it is decided on again before the others. */
const URGENT_GRACE_MS = 2 * SECOND_MS;

export interface LimitCandidate {
  readonly id: Types.ObjectId;
  readonly parts: number;
  /** The hash of the number. */
  readonly recipient: string;
  readonly isUrgent?: boolean | undefined;
}

export interface WaitingCandidate {
  readonly id: Types.ObjectId;
  readonly reason: LimitReason;
  /** When it can leave, by what is known now. */
  readonly until: Date;
}

export interface Decision {
  /** The usage with a reservation of the admitted; the same object if nothing changes. */
  readonly usage: SimUsage;
  readonly admitted: readonly LimitCandidate[];
  readonly waiting: readonly WaitingCandidate[];
}

/**
 * Decides which messages may leave now without exceeding a limit, and reserves room for them. A message that waits does not
 * delay the others, unless it waits for parts: those messages keep their order, and urgent ones get the parts first.
 * @param candidates in the order in which they should leave.
 */
export function decide(
  usage: SimUsage,
  limits: SimLimits,
  candidates: readonly LimitCandidate[],
  reservationId: Types.ObjectId,
  now: Date,
): Decision {
  const state = new UsageState(usage, limits, now.getTime());
  const admitted: LimitCandidate[] = [];
  const waiting: WaitingCandidate[] = [];
  let urgentUntil = usage.urgentUntil?.getTime() ?? 0;
  const isYielding = limits.partsPerMinute !== undefined && urgentUntil > now.getTime();
  for (const candidate of candidates) {
    const { id, parts, recipient, isUrgent = false } = candidate;
    const wait =
      isYielding && !isUrgent
        ? state.waitBehind(urgentUntil, parts, recipient)
        : state.waitOf(parts, recipient);
    if (wait) {
      waiting.push({ id, reason: wait.reason, until: new Date(Math.ceil(wait.until)) });
      if (isUrgent && wait.reason === 'parts_per_minute')
        urgentUntil = Math.max(urgentUntil, wait.until + URGENT_GRACE_MS);
    } else {
      state.count(parts, recipient);
      admitted.push(candidate);
    }
  }
  const heldUntil = Math.max(usage.heldUntil?.getTime() ?? 0, ...waiting.map(({ until }) => until.getTime()));
  const isHeldLonger = heldUntil > (usage.heldUntil?.getTime() ?? 0);
  const isYieldingLonger = urgentUntil > (usage.urgentUntil?.getTime() ?? 0);
  if (admitted.length === 0 && !isHeldLonger && !isYieldingLonger) return { usage, admitted, waiting };
  const reservation: Reservation = {
    id: reservationId,
    at: state.countedAt,
    messages: admitted.map(({ id, recipient }) => ({
      id,
      ...(limits.recipientsPerMonth !== undefined && { recipient }),
    })),
  };
  const after = {
    ...usage,
    ...(admitted.length > 0 && {
      ...state.toStored(),
      reservations: [...usage.reservations, reservation],
    }),
    ...(isHeldLonger && { heldUntil: new Date(heldUntil) }),
    ...(isYieldingLonger && { urgentUntil: new Date(Math.ceil(urgentUntil)) }),
  };
  return { usage: scheduled(after, now), admitted, waiting };
}

/**
 * Ends a reservation, and frees the room of the messages that did not leave. Their parts are refilled by time alone: what
 * the bucket would hold without them depends on everything drawn since.
 * @param isHandedOver whether a message was, or may have been, handed over.
 * @returns the same object if there is no such reservation.
 */
export function releaseUnused(
  usage: SimUsage,
  reservationId: Types.ObjectId,
  isHandedOver: (message: ReservedMessage) => boolean,
  now: Date,
): SimUsage {
  const reservation = usage.reservations.find((each) => each.id.equals(reservationId));
  if (!reservation) return usage;
  const freed = reservation.messages.filter((message) => !isHandedOver(message));
  const after = {
    ...usage,
    ...(freed.length > 0 && withoutFreed(usage, reservation, freed)),
    reservations: usage.reservations.filter((each) => each !== reservation),
  };
  return scheduled(freed.length > 0 && isHolding(usage, now) ? { ...after, hasFreedRoom: true } : after, now);
}

/** Records that the messages that wait are being reviewed. */
export function clearFreedRoom({ hasFreedRoom: _, ...usage }: SimUsage, now: Date): SimUsage {
  return scheduled(usage, now);
}

/** Draws parts that leave regardless of the limit, such as those of redelivered messages. */
export function drawParts(usage: SimUsage, partsPerMinute: number, parts: number, now: Date): SimUsage {
  return { ...usage, fullAt: draw(paceOf(partsPerMinute), usage.fullAt, parts, now.getTime()) };
}

const isHolding = ({ heldUntil }: SimUsage, now: Date) => heldUntil !== undefined && heldUntil > now;

/** The counts of a reservation's periods; those of earlier periods are over. */
function withoutFreed(
  usage: SimUsage,
  { at }: Reservation,
  freed: readonly ReservedMessage[],
): Partial<SimUsage> {
  const isCurrent = (count: PeriodCount | undefined) => count !== undefined && count.start <= at;
  const freedOf = (recipient: string) => freed.filter((message) => message.recipient === recipient).length;
  const recipients = isCurrent(usage.month)
    ? Object.entries(usage.recipients ?? {})
        .map(([recipient, count]) => [recipient, count - freedOf(recipient)] as const)
        .filter(([, count]) => count > 0)
    : Object.entries(usage.recipients ?? {});
  const counts = PERIODS.flatMap((period) => {
    const count = usage[period];
    if (!count || !isCurrent(count)) return [];
    return [[period, { start: count.start, count: Math.max(0, count.count - freed.length) }] as const];
  });
  return { ...Object.fromEntries(counts), recipients: Object.fromEntries(recipients) };
}

/** Sets when `WaitingReview` is due: at once if room became free, else when the oldest reservation is too old. */
export function scheduled({ dueAt: _, ...usage }: SimUsage, now: Date): SimUsage {
  if (usage.hasFreedRoom) return { ...usage, dueAt: now };
  const oldest = Math.min(...usage.reservations.map(({ at }) => at.getTime()));
  return Number.isFinite(oldest) ? { ...usage, dueAt: new Date(oldest + RESERVATION_TIMEOUT_MS) } : usage;
}
