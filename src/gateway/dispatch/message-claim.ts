import type { Types } from 'mongoose';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import { groupBy, roundsOf } from '../../common/group-by';
import { RECONNECT_TIMEOUT_MS } from '../../devices/connection/connection';
import type { Message } from '../../messages/message.schema';
import { notMoved } from '../routing/not-moved';

/** One write claims or moves at most this many messages, so that some waves are pushed while others are claimed or stored. */
export const MAX_CLAIMED_AT_ONCE = 250;

/** Messages of a pool are routed again once a phone that has taken nothing counts as offline. */
const REROUTE_MS = RECONNECT_TIMEOUT_MS + SECOND_MS;

/** Other messages are looked at again after this time, in case nobody noticed that their phone is back. */
const RECHECK_MS = HOUR_MS;

/** When a worker looks again at claimed messages that wait for their phone. */
export const recheckAt = (claims: readonly MessageClaim[], claimedAt: Date): Date =>
  new Date(claimedAt.getTime() + (claims.some(isOfPool) ? REROUTE_MS : RECHECK_MS));

/** A message to claim, and what is stored with its claim. */
export interface MessageClaim {
  readonly id: Types.ObjectId;
  readonly user: Types.ObjectId;
  /** The phone that is to get it. */
  readonly device: Types.ObjectId;
  /** Its attempts when it was read: if it was claimed for a push, or taken, since then, this claim fails. */
  readonly dispatchAttempts: number;
  /** Whether it had been moved to another phone before it was read. */
  readonly wasMoved: boolean;
  readonly sim?: Types.ObjectId;
  /** The subscription id of a SIM that the request did not name. */
  readonly chosenSubscriptionId?: number;
  /** Stored as `simReservation`. */
  readonly reservationId?: Types.ObjectId;
  /** Only of a message of a pool: the phone and SIM that it was routed to. */
  readonly route?: ClaimedRoute;
}

interface ClaimedRoute {
  /** Absent if the phone has one SIM without such an id. */
  readonly simSubscriptionId?: number;
  readonly choice?: Message['choice'];
}

export type PoolMessageClaim = MessageClaim & Required<Pick<MessageClaim, 'route'>>;

export const isOfPool = (message: MessageClaim): message is PoolMessageClaim => message.route !== undefined;

/** Condition of the messages that have not expired, and were neither paused nor given another time after they were read. */
export const dueAndValid = (now: Date) => ({
  nextDispatchAt: { $lte: now },
  validUntil: { $not: { $lte: now } },
});

/** Condition of the messages that were not moved to another phone since they were read. */
export const onTheirPhones = (messages: readonly Pick<MessageClaim, 'id' | 'device'>[]) =>
  notMoved(messages.map(({ id, device }) => ({ _id: id, device })));

/**
 * Condition of the messages without a pool that were not moved to another phone since they were read. One field tells it of those that
 * were never moved: to compare the phone of each costs a quarter of a claim.
 */
export function notMovedSince(messages: readonly MessageClaim[]) {
  const moved = messages.filter(({ wasMoved }) => wasMoved);
  if (moved.length === messages.length) return onTheirPhones(messages);
  const neverMoved = { movedFrom: { $exists: false } };
  if (moved.length === 0) return neverMoved;
  return {
    $and: [{ $or: [neverMoved, { _id: { $in: moved.map(({ id }) => id) }, ...onTheirPhones(moved) }] }],
  };
}

/** Condition of the messages that nobody has pushed since they were read. */
export function notPushedSince(messages: readonly MessageClaim[]) {
  const byAttempts = groupBy(messages, ({ dispatchAttempts }) => dispatchAttempts);
  const [first, ...others] = byAttempts.keys();
  if (first !== undefined && others.length === 0) return attempted(first);
  return {
    $or: [...byAttempts].map(([attempts, same]) => ({
      _id: { $in: same.map(({ id }) => id) },
      ...attempted(attempts),
    })),
  };
}

const attempted = (attempts: number) => ({ dispatchAttempts: attempts > 0 ? attempts : { $exists: false } });

/** Condition of the messages of pools that nobody has pushed, or taken out of their pool, since their SIM was chosen. */
export const asRouted = (messages: readonly PoolMessageClaim[]) => ({
  pool: { $exists: true },
  $and: [notPushedSince(messages)],
});

export const toPoolClaimFields = ({ device, sim, reservationId, route }: PoolMessageClaim) => ({
  device,
  ...(sim && { sim }),
  ...(reservationId && { simReservation: reservationId }),
  ...(route.simSubscriptionId !== undefined && {
    simSubscriptionId: route.simSubscriptionId,
    isSimChosen: true,
  }),
  ...(route.choice && { choice: route.choice }),
});

export const toClaimFields = ({ sim, chosenSubscriptionId, reservationId }: MessageClaim) => ({
  ...(sim && { sim }),
  ...(chosenSubscriptionId !== undefined && { simSubscriptionId: chosenSubscriptionId, isSimChosen: true }),
  ...(reservationId && { simReservation: reservationId }),
});

/**
 * Claims the messages of requests that were submitted together. Two runs of one wave may be among them, and a message may have been moved to
 * another phone between their reads: it is claimed for the first request whose conditions it meets.
 * @param claim claims messages, none of them twice. @returns the ids of those that met the conditions.
 * @returns for each request the hex ids of the messages that were claimed for it.
 */
export async function claimInTurn(
  requests: readonly { readonly messages: readonly MessageClaim[] }[],
  claim: (messages: readonly MessageClaim[]) => Promise<readonly Types.ObjectId[]>,
): Promise<ReadonlySet<string>[]> {
  const claimed = requests.map(() => new Set<string>());
  const taken = new Set<string>();
  const all = requests.flatMap(({ messages }, request) => messages.map((message) => ({ message, request })));
  for (const round of roundsOf(all, ({ message }) => message.id.toHexString())) {
    const free = round.filter(({ message }) => !taken.has(message.id.toHexString()));
    if (free.length === 0) break;
    for (const id of await claim(free.map(({ message }) => message))) taken.add(id.toHexString());
    for (const { message, request } of free) {
      const id = message.id.toHexString();
      if (taken.has(id)) claimed[request]?.add(id);
    }
  }
  return claimed;
}
