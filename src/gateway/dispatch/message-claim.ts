import type { Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import type { Message } from '../../messages/message.schema';
import { notMoved } from '../routing/not-moved';

/** Of the messages that one write claims or moves: a limit, so that some waves are pushed while others are claimed or stored. */
export const MAX_CLAIMED_AT_ONCE = 250;

/** A message to claim, and what is stored with its claim. */
export interface MessageClaim {
  readonly id: Types.ObjectId;
  readonly user: Types.ObjectId;
  /** The phone that is to get it. */
  readonly device: Types.ObjectId;
  /** Its attempts when it was read: if it was claimed for a push since then, this claim fails. */
  readonly dispatchAttempts: number;
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

/** Condition of the messages without a pool that were not moved to another phone since they were read. */
export const onTheirPhones = (messages: readonly MessageClaim[]) =>
  notMoved(messages.map(({ id, device }) => ({ _id: id, device })));

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
 * The claimed messages of each request that one write claimed together, as hex ids. Two runs of one wave may be among the requests: each
 * message goes to one of them.
 */
export function claimedPerRequest(
  requests: readonly { readonly messages: readonly MessageClaim[] }[],
  claimedIds: readonly Types.ObjectId[],
): ReadonlySet<string>[] {
  const unassigned = new Set(claimedIds.map((id) => id.toHexString()));
  return requests.map(
    ({ messages }) =>
      new Set(messages.map(({ id }) => id.toHexString()).filter((id) => unassigned.delete(id))),
  );
}
