/** Statuses of an outgoing message. */
export const OUTGOING_STATUSES = ['pending', 'dispatched', 'sent', 'delivered', 'failed', 'unknown'] as const;
export type OutgoingStatus = (typeof OUTGOING_STATUSES)[number];

/** Statuses of all messages; an incoming message is always `received`. */
export const MESSAGE_STATUSES = [...OUTGOING_STATUSES, 'received'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Allowed transitions. `delivered` and `failed` are final, so late reports cannot undo them. */
const TRANSITIONS: Record<OutgoingStatus, readonly OutgoingStatus[]> = {
  pending: ['dispatched', 'sent', 'delivered', 'failed', 'unknown'],
  dispatched: ['sent', 'delivered', 'failed', 'unknown'],
  unknown: ['sent', 'delivered', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
};

export function canTransition(from: OutgoingStatus, to: OutgoingStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

/** The statuses from which a message may move to `to`; reports filter on them. */
export function sourceStatuses(to: OutgoingStatus): OutgoingStatus[] {
  return OUTGOING_STATUSES.filter((from) => canTransition(from, to));
}

/** Statuses of messages without `settledAt`. */
export const UNSETTLED_STATUSES: readonly OutgoingStatus[] = ['pending', 'dispatched'];

/** No report changes these. */
export const FINAL_STATUSES: readonly OutgoingStatus[] = ['delivered', 'failed'];

export const SUCCESS_STATUSES: readonly OutgoingStatus[] = ['sent', 'delivered'];
