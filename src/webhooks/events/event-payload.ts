import type { Types } from 'mongoose';
import type {
  OperationalDetails,
  OperationalEntry,
  OperationalEvent,
} from '../../devices/events/operational-event';
import { failureReasonWithFix } from '../../messages/failures/failure-reason';
import type { MessageEvent, OutboxEntry } from '../../messages/message-event';
import type { Message } from '../../messages/message.schema';

/** The fields of a message that events are built from. */
export type EventSubject = Partial<Message> & Pick<Message, '_id' | 'device' | 'message'>;

const UNKNOWN_ERROR_CODE = 'UNKNOWN';

interface EventEnvelope {
  readonly smsId: string;
  readonly message: string;
  readonly deviceId: string;
  readonly webhookSubscriptionId: string;
  readonly webhookEvent: string;
  readonly idempotencyKey: string;
}

/** The JSON body of a delivery of a message's event. */
export type EventPayload = EventEnvelope & ExtraFields;

/** The JSON body of a delivery of an operational event: the same without a message. */
export type OperationalPayload = OperationalEnvelope & OperationalDetails[OperationalEvent];

type OperationalEnvelope = Partial<Pick<EventEnvelope, 'deviceId'>> &
  Omit<EventEnvelope, 'smsId' | 'message' | 'deviceId'>;

/** Writes the JSON of an event for a subscription. */
export type WriteBody = (subscription: Types.ObjectId, idempotencyKey: string) => string;

type ExtraFields = Readonly<Record<string, string | boolean | undefined>>;

const encryption = ({ encrypted, encryptedMessage }: EventSubject) => ({
  encrypted: encrypted === true ? true : undefined,
  encryptedMessage,
});

const outgoing = (message: EventSubject) => ({
  smsBatchId: message.smsBatch?.toHexString(),
  recipient: message.recipient,
  ...encryption(message),
});

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
    // A phone may report a message as delivered without having reported it as sent.
    sentAt: (message.sentAt ?? message.sendAttemptedAt ?? message.deliveredAt)?.toISOString(),
    deliveredAt: message.deliveredAt?.toISOString(),
  }),
  MESSAGE_FAILED: (message) => ({
    ...outgoing(message),
    status: 'failed',
    errorCode: message.errorCode ?? UNKNOWN_ERROR_CODE,
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
export type OperationalEnvelopeField = keyof OperationalEnvelope;

export type ExtraField<Event extends MessageEvent> = keyof ReturnType<(typeof EXTRA_FIELDS)[Event]>;

/** The payload of an event for a subscription; unknown fields are left out. */
export function eventPayload(
  { event, reportedStatus }: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
  message: EventSubject,
  subscription: Types.ObjectId,
  idempotencyKey: string,
): EventPayload {
  return {
    smsId: message._id.toHexString(),
    // Only the owner's client can decrypt the text.
    message: message.encrypted ? '' : message.message,
    deviceId: message.device.toHexString(),
    webhookSubscriptionId: subscription.toHexString(),
    webhookEvent: event,
    idempotencyKey,
    ...EXTRA_FIELDS[event](message, reportedStatus),
  };
}

/**
 * Returns a function that builds the JSON of `eventPayload` for a subscription, and serializes the shared fields
 * once.
 */
export function eventBody(
  { event, reportedStatus }: Pick<OutboxEntry, 'event' | 'reportedStatus'>,
  message: EventSubject,
): WriteBody {
  const text = message.encrypted ? '' : message.message;
  const prefix = JSON.stringify({
    smsId: message._id.toHexString(),
    message: text,
    deviceId: message.device.toHexString(),
  }).slice(0, -1);
  const extras = JSON.stringify(EXTRA_FIELDS[event](message, reportedStatus)).slice(1);
  const suffix = extras === '}' ? extras : `,${extras}`;
  return (subscription, idempotencyKey) => {
    const ids = { webhookSubscriptionId: subscription, webhookEvent: event, idempotencyKey };
    return `${prefix},${JSON.stringify(ids).slice(1, -1)}${suffix}`;
  };
}

/** The payload of an operational event for a subscription. */
export function operationalPayload(
  { event, device, details }: Pick<OperationalEntry, 'event' | 'device' | 'details'>,
  subscription: Types.ObjectId,
  idempotencyKey: string,
): OperationalPayload {
  return {
    ...(device && { deviceId: device.toHexString() }),
    webhookSubscriptionId: subscription.toHexString(),
    webhookEvent: event,
    idempotencyKey,
    ...details,
  };
}

export function operationalBody(entry: OperationalEntry): WriteBody {
  return (subscription, idempotencyKey) =>
    JSON.stringify(operationalPayload(entry, subscription, idempotencyKey));
}
