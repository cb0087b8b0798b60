import type { Types } from 'mongoose';
import { failureReason } from '../messages/failure-reason';
import type { OutboxEntry } from '../messages/message-event';
import type { Message } from '../messages/message.schema';

/** What the message of an event tells. */
export type EventSubject = Pick<
  Message,
  | '_id'
  | 'device'
  | 'message'
  | 'encrypted'
  | 'sender'
  | 'recipient'
  | 'smsBatch'
  | 'receivedAt'
  | 'sentAt'
  | 'deliveredAt'
  | 'failedAt'
  | 'errorCode'
  | 'errorMessage'
>;

/** The flat JSON object a delivery posts (specification, "Events"). */
export interface EventPayload {
  readonly smsId: string;
  readonly message: string;
  readonly deviceId: string;
  readonly webhookSubscriptionId: string;
  readonly webhookEvent: string;
  readonly idempotencyKey: string;
  readonly [field: string]: string | undefined;
}

/** The payload of one event for one subscription; what is not known of the message is left out. */
export function eventPayload(
  entry: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
  message: EventSubject,
  subscription: Types.ObjectId,
  idempotencyKey: string,
): EventPayload {
  return {
    smsId: message._id.toHexString(),
    // Only the owner's own client can read an encrypted text.
    message: message.encrypted ? '' : message.message,
    deviceId: message.device.toHexString(),
    webhookSubscriptionId: subscription.toHexString(),
    webhookEvent: entry.event,
    idempotencyKey,
    ...extraFields(entry, message),
  };
}

function extraFields(
  { event, reportedStatus }: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
  message: EventSubject,
): Record<string, string | undefined> {
  const { smsBatch, recipient, sentAt, deliveredAt, failedAt, errorCode } = message;
  const sent = { smsBatchId: smsBatch?.toHexString(), recipient };
  switch (event) {
    case 'MESSAGE_RECEIVED':
      return { sender: message.sender, receivedAt: message.receivedAt?.toISOString() };
    case 'MESSAGE_SENT':
      return { ...sent, status: 'sent', sentAt: sentAt?.toISOString() };
    case 'MESSAGE_DELIVERED':
      return {
        ...sent,
        status: 'delivered',
        sentAt: sentAt?.toISOString(),
        deliveredAt: deliveredAt?.toISOString(),
      };
    case 'MESSAGE_FAILED':
      return {
        ...sent,
        status: 'failed',
        errorCode,
        errorMessage: message.errorMessage ?? failureReason(errorCode),
        failedAt: failedAt?.toISOString(),
      };
    case 'UNKNOWN_STATE':
      return { ...sent, status: reportedStatus };
  }
}
