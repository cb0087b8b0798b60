import type { OutgoingStatus } from './message-status';

/** The events that are emitted: those of the specification, and one of this service's own that subscriptions opt in to. */
export const MESSAGE_EVENTS = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'UNKNOWN_STATE',
  'MESSAGE_UNCONFIRMED',
] as const;
export type MessageEvent = (typeof MESSAGE_EVENTS)[number];

/**
 * An event that waits in its message's outbox for the webhooks. It is written in the very update that made it
 * happen; all else the webhook tells is read from the message.
 */
export interface OutboxEntry {
  readonly event: MessageEvent;
  /** `UNKNOWN_STATE` only: the status the phone reported, lower case. */
  readonly reportedStatus?: string;
  readonly at: Date;
  /** The request that raised it, for the log of its deliveries. */
  readonly requestId?: string;
}

/**
 * Why a message ended without a report of its phone: 24 hours have passed, the device was deleted, or 24 hours have
 * passed and the device is disabled.
 */
export const UNCONFIRMED_REASONS = ['NO_REPORT', 'DEVICE_DELETED', 'DEVICE_DISABLED'] as const;
export type UnconfirmedReason = (typeof UNCONFIRMED_REASONS)[number];

/** The events a phone's report can raise. */
export type ReportEvent = Exclude<MessageEvent, 'MESSAGE_RECEIVED' | 'MESSAGE_UNCONFIRMED'>;

/**
 * The states in which a report still raises its event. After `failed` none is raised any more; after
 * `delivered` only the `MESSAGE_SENT` that was still owed.
 */
export const RAISED_FROM: Record<ReportEvent, readonly OutgoingStatus[]> = {
  MESSAGE_SENT: ['pending', 'dispatched', 'unknown', 'delivered'],
  MESSAGE_DELIVERED: ['pending', 'dispatched', 'unknown', 'sent'],
  MESSAGE_FAILED: ['pending', 'dispatched', 'unknown', 'sent'],
  UNKNOWN_STATE: ['pending', 'dispatched', 'unknown', 'sent'],
};

/** What a message remembers of an event it raised: no event is raised twice, `UNKNOWN_STATE` once a status. */
export function raisedKey(event: MessageEvent, reportedStatus?: string): string {
  return reportedStatus === undefined ? event : `${event}:${reportedStatus}`;
}
