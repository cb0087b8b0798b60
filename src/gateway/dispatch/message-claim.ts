import type { Types } from 'mongoose';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import { roundsOf } from '../../common/group-by';
import { RECONNECT_TIMEOUT_MS } from '../../devices/connection/connection';
import { conditionPerDocument } from '../../infrastructure/mongo/condition-per-document';
import type { Message } from '../../messages/message.schema';
import { lastMoveIs, moveKey } from '../routing/not-moved';

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
  /** The phone that is to get it; of a message of a pool, the one that it was routed to. */
  readonly device: Types.ObjectId;
  /** Its attempts when it was read: if it was claimed for a push, or taken, since then, this claim fails. */
  readonly dispatchAttempts: number;
  /** Its last move when it was read: if it was moved to another phone since then, this claim fails. */
  readonly movedFrom?: Message['movedFrom'];
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

/** Condition of the messages that nobody has pushed, or moved to another phone, since they were read. */
export const asRead = (messages: readonly MessageClaim[]) =>
  conditionPerDocument(
    messages,
    ({ id }) => id,
    (message) => `${message.dispatchAttempts} ${moveKey(message)}`,
    (message) => ({
      dispatchAttempts: message.dispatchAttempts > 0 ? message.dispatchAttempts : { $exists: false },
      ...lastMoveIs(message),
    }),
  );

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
 * @param claim claims messages, none of them twice, and returns the ids of those that met the conditions.
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
