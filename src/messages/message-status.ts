/** States of a message that is sent. */
export const OUTGOING_STATUSES = ['pending', 'dispatched', 'sent', 'delivered', 'failed', 'unknown'] as const;
export type OutgoingStatus = (typeof OUTGOING_STATUSES)[number];

/** Every state a message may show; incoming ones are always `received`. */
export const MESSAGE_STATUSES = [...OUTGOING_STATUSES, 'received'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * Where a message may go from each state. Nothing leads back: `delivered` and `failed` are final, and a phone
 * that speaks late can only add to what is known.
 */
const MOVES: Record<OutgoingStatus, readonly OutgoingStatus[]> = {
  pending: ['dispatched', 'sent', 'delivered', 'failed', 'unknown'],
  dispatched: ['sent', 'delivered', 'failed', 'unknown'],
  unknown: ['sent', 'delivered', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
};

export function mayMove(from: OutgoingStatus, to: OutgoingStatus): boolean {
  return MOVES[from].includes(to);
}

/** The states from which a message may move to this one: the condition of every update that moves it. */
export function sourcesOf(to: OutgoingStatus): OutgoingStatus[] {
  return OUTGOING_STATUSES.filter((from) => mayMove(from, to));
}

/** States in which nothing has been heard of the message yet. */
export const UNSETTLED: readonly OutgoingStatus[] = ['pending', 'dispatched'];

/** States that count as a success. */
export const SUCCEEDED: readonly OutgoingStatus[] = ['sent', 'delivered'];
