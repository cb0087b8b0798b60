import type { OutgoingStatus } from './message-status';

/** Events of messages. Subscriptions opt in to `MESSAGE_UNCONFIRMED`. */
export const MESSAGE_EVENTS = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'UNKNOWN_STATE',
  'MESSAGE_UNCONFIRMED',
] as const;
export type MessageEvent = (typeof MESSAGE_EVENTS)[number];

/** An event in a message's outbox, written by the update that raised it; the payload is read from the message. */
export interface OutboxEntry {
  readonly event: MessageEvent;
  /** `UNKNOWN_STATE` only: the status the phone reported, lower case. */
  readonly reportedStatus?: string;
  readonly at: Date;
  /** The request that raised it, for the delivery logs. */
  readonly requestId?: string;
}

/** Why a message became `unknown` without a report. */
export const UNCONFIRMED_REASONS = [
  /** No report in 24 hours. */
  'NO_REPORT',
  'DEVICE_DELETED',
  /** The device was replaced by another one before it reported. */
  'DEVICE_REPLACED',
  /** No report in 24 hours, and the device is disabled. */
  'DEVICE_DISABLED',
] as const;
export type UnconfirmedReason = (typeof UNCONFIRMED_REASONS)[number];

/** Events raised by status reports. */
export type ReportEvent = Exclude<MessageEvent, 'MESSAGE_RECEIVED' | 'MESSAGE_UNCONFIRMED'>;

/** The statuses in which a report raises its event: none after `failed`, only a late `MESSAGE_SENT` after `delivered`. */
export const EVENT_SOURCE_STATUSES: Record<ReportEvent, readonly OutgoingStatus[]> = {
  MESSAGE_SENT: ['pending', 'dispatched', 'unknown', 'delivered'],
  MESSAGE_DELIVERED: ['pending', 'dispatched', 'unknown', 'sent'],
  MESSAGE_FAILED: ['pending', 'dispatched', 'unknown', 'sent'],
  UNKNOWN_STATE: ['pending', 'dispatched', 'unknown', 'sent'],
};

/** Deduplication key of a raised event; `UNKNOWN_STATE` is raised once per reported status. */
export function raisedKey(event: MessageEvent, reportedStatus?: string): string {
  return reportedStatus === undefined ? event : `${event}:${reportedStatus}`;
}
