import type { Types } from 'mongoose';
import { failureReasonWithFix } from '../messages/failure-reason';
import type { MessageEvent, OutboxEntry } from '../messages/message-event';
import type { Message } from '../messages/message.schema';

/** What the message of an event tells. */
export type EventSubject = Pick<
  Message,
  | '_id'
  | 'device'
  | 'message'
  | 'encrypted'
  | 'encryptedMessage'
  | 'sender'
  | 'recipient'
  | 'smsBatch'
  | 'receivedAt'
  | 'truncated'
  | 'sendAttemptedAt'
  | 'sentAt'
  | 'deliveredAt'
  | 'failedAt'
  | 'dispatchedAt'
  | 'unconfirmedReason'
  | 'errorCode'
  | 'errorMessage'
>;

/** The `errorCode` of a failure for which the phone gave none. */
const NO_ERROR_CODE = 'UNKNOWN';

/** What every event tells. */
interface EventEnvelope {
  readonly smsId: string;
  readonly message: string;
  readonly deviceId: string;
  readonly webhookSubscriptionId: string;
  readonly webhookEvent: string;
  readonly idempotencyKey: string;
}

/** The flat JSON object a delivery posts (specification, "Events"). */
export type EventPayload = EventEnvelope & ExtraFields;

type ExtraFields = Readonly<Record<string, string | boolean | undefined>>;

/** What is told of an encrypted text besides the empty `message`. */
const encryption = ({ encrypted, encryptedMessage }: EventSubject) => ({
  encrypted: encrypted === true ? true : undefined,
  encryptedMessage,
});

const outgoing = (message: EventSubject) => ({
  smsBatchId: message.smsBatch?.toHexString(),
  recipient: message.recipient,
  ...encryption(message),
});

/** What each event tells besides. */
const EXTRA_FIELDS = {
  MESSAGE_RECEIVED: (message) => ({
    sender: message.sender,
    receivedAt: message.receivedAt?.toISOString(),
    truncated: message.truncated,
    ...encryption(message),
  }),
  MESSAGE_SENT: (message) => ({
    ...outgoing(message),
    status: 'sent',
    sentAt: message.sentAt?.toISOString(),
  }),
  MESSAGE_DELIVERED: (message) => ({
    ...outgoing(message),
    status: 'delivered',
    // A phone that never reported it as sent reported that it was delivered: it was sent by then.
    sentAt: (message.sentAt ?? message.sendAttemptedAt ?? message.deliveredAt)?.toISOString(),
    deliveredAt: message.deliveredAt?.toISOString(),
  }),
  MESSAGE_FAILED: (message) => ({
    ...outgoing(message),
    status: 'failed',
    errorCode: message.errorCode ?? NO_ERROR_CODE,
    errorMessage: failureReasonWithFix(message.errorCode, message.errorMessage),
    failedAt: message.failedAt?.toISOString(),
  }),
  UNKNOWN_STATE: (message, reportedStatus) => ({ ...outgoing(message), status: reportedStatus }),
  MESSAGE_UNCONFIRMED: (message) => ({
    ...outgoing(message),
    status: 'unknown',
    reason: message.unconfirmedReason,
    dispatchedAt: message.dispatchedAt?.toISOString(),
  }),
} satisfies Record<MessageEvent, (message: EventSubject, reportedStatus?: string) => ExtraFields>;

export type EnvelopeField = keyof EventEnvelope;

/** The names of the fields an event has besides the envelope's. */
export type ExtraField<Event extends MessageEvent> = keyof ReturnType<(typeof EXTRA_FIELDS)[Event]>;

/** The payload of one event for one subscription; what is not known of the message is left out. */
export function eventPayload(
  { event, reportedStatus }: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
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
    webhookEvent: event,
    idempotencyKey,
    ...EXTRA_FIELDS[event](message, reportedStatus),
  };
}

/**
 * Writes the body of one event: what is the same for all subscriptions is written once, and the body of each is put
 * together from that. It reads as `eventPayload` does.
 */
export function eventBody(
  { event, reportedStatus }: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
  message: EventSubject,
): (subscription: Types.ObjectId, idempotencyKey: string) => string {
  const text = message.encrypted ? '' : message.message;
  const head = JSON.stringify({
    smsId: message._id.toHexString(),
    message: text,
    deviceId: message.device.toHexString(),
  }).slice(0, -1);
  const extras = JSON.stringify(EXTRA_FIELDS[event](message, reportedStatus)).slice(1);
  const tail = extras === '}' ? extras : `,${extras}`;
  return (subscription, idempotencyKey) => {
    const ids = { webhookSubscriptionId: subscription, webhookEvent: event, idempotencyKey };
    return `${head},${JSON.stringify(ids).slice(1, -1)}${tail}`;
  };
}
