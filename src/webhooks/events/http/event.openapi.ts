import type { OpenAPIObject } from '@nestjs/swagger';
import { CONNECTION_STATES } from '../../../devices/states/connection-state';
import {
  type EventSim,
  type OperationalDetails,
  OPERATIONAL_EVENTS,
  type OperationalEvent,
} from '../../../devices/events/operational-event';
import { BLOCK_KINDS, BREAKER_STATES } from '../../../devices/states/breaker-state';
import { PERIOD_LIMITS } from '../../../devices/states/wait-reasons';
import { type MessageEvent, UNCONFIRMED_REASONS } from '../../../messages/message-event';
import type { EnvelopeField, ExtraField, OperationalEnvelopeField } from '../event-payload';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../webhook-event';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Components = NonNullable<OpenAPIObject['components']>;
type Parameters = NonNullable<Components['parameters']>;
type Responses = NonNullable<Components['responses']>;
type Schemas = NonNullable<Components['schemas']>;

interface FieldDoc {
  readonly description: string;
  readonly example: string | boolean | number;
  /** Defaults to string. */
  readonly type?: 'boolean' | 'integer' | 'number';
  readonly format?: 'date-time';
  readonly enum?: string[];
  /** Absent when unknown. */
  readonly isOptional?: true;
}

const text = (description: string, example: string): FieldDoc => ({ description, example });

const time = (description: string): FieldDoc => ({
  description,
  example: '2026-01-31T12:00:00.000Z',
  format: 'date-time',
});

const id = (description: string) => text(description, '665f1c2ab7e1d4a9c0f3e812');

/** Present only if it is true. */
const flag = (description: string): FieldDoc => optional({ description, type: 'boolean', example: true });

const optional = (field: FieldDoc): FieldDoc => ({ ...field, isOptional: true });

const status = (value: string): FieldDoc => ({
  description: 'Status of the message at the event',
  example: value,
  enum: [value],
});

const OPERATIONAL_ENVELOPE: Record<OperationalEnvelopeField, FieldDoc> = {
  deviceId: optional(id('Device that the event is about; absent if it was deleted')),
  webhookSubscriptionId: id('Subscription that the delivery belongs to'),
  webhookEvent: text('Event name', 'MESSAGE_SENT'),
  idempotencyKey: id('Unique per delivery and the same on every retry; use it to detect duplicates'),
};

const ENVELOPE: Record<EnvelopeField, FieldDoc> = {
  smsId: id('Id of the message; equals _id of the messages API'),
  message: text('Message text; empty when the message is end-to-end encrypted', 'Your code is 1234'),
  ...OPERATIONAL_ENVELOPE,
  deviceId: id('Device that received or sent the message'),
};

const ENCRYPTION = {
  encrypted: flag('Present when the text is end-to-end encrypted'),
  encryptedMessage: optional(
    text("The encrypted text, to be decrypted by the owner's client", 'v1:kJ2m0Q9xWb7t4nZs8eYh3A=='),
  ),
};

const OUTGOING = {
  smsBatchId: id('Batch the message was sent in'),
  recipient: text('Destination number', '+447700900123'),
  ...ENCRYPTION,
};

/** The type ensures that every field of the payloads is documented. */
const EXTRA_FIELD_DOCS: { [Event in MessageEvent]: Record<ExtraField<Event>, FieldDoc> } & {
  SMS_STATUS_UPDATED: object;
} = {
  SMS_STATUS_UPDATED: {},
  MESSAGE_RECEIVED: {
    sender: text('Sender as the phone reports it: a number, a short code or a text name', '+447700900123'),
    receivedAt: time('When the phone received it'),
    truncated: flag('Present when the phone uploaded a longer sender or text than is stored'),
    ...ENCRYPTION,
  },
  MESSAGE_SENT: { ...OUTGOING, status: status('sent'), sentAt: time('When the phone sent it') },
  MESSAGE_DELIVERED: {
    ...OUTGOING,
    status: status('delivered'),
    sentAt: time('When the phone sent it; if that was never reported, when it was delivered'),
    deliveredAt: time('When the carrier confirmed the delivery'),
  },
  MESSAGE_FAILED: {
    ...OUTGOING,
    status: status('failed'),
    errorCode: text(
      "Android's send result code, or a code of the service; UNKNOWN when the phone gave none",
      '4',
    ),
    errorMessage: text(
      'Why it failed, as reported by the phone if available, and what to do about it',
      'The phone has no service. Move it to where it has signal and send again.',
    ),
    failedAt: time('When it failed'),
  },
  UNKNOWN_STATE: {
    ...OUTGOING,
    status: text('The status the phone reported, in lower case', 'delivery_failed'),
  },
  MESSAGE_UNCONFIRMED: {
    ...OUTGOING,
    status: status('unknown'),
    reason: {
      description:
        'NO_REPORT: no report within 24 hours. DEVICE_DELETED: the device was deleted before it acknowledged the message. DEVICE_REPLACED: another device has replaced it before it reported the message. DEVICE_DISABLED: no report within 24 hours, and the device is disabled',
      example: 'NO_REPORT',
      enum: [...UNCONFIRMED_REASONS],
    },
    dispatchedAt: time('When the message was handed to the push service'),
  },
};

const DEVICE_DETAILS: OperationalDetailDocs['DEVICE_OFFLINE'] = {
  name: optional(text("Owner's label for the device", 'Office phone')),
  brand: text('Device brand', 'google'),
  model: text('Device model', 'Pixel 8'),
  state: { description: 'State of its connection', example: 'unresponsive', enum: [...CONNECTION_STATES] },
  since: time('Since when, as in connection.since of the device'),
  lastContactAt: optional(time('Last call of the phone; absent before the first')),
  pendingCount: {
    description:
      'Messages that wait for the phone, or that it was handed and has neither acknowledged nor reported; counted up to 1,000',
    type: 'integer',
    example: 12,
  },
};

type OperationalDetailDocs = {
  [Event in keyof OperationalDetails]: Record<keyof OperationalDetails[Event], FieldDoc>;
};

const SIM: Record<keyof EventSim, FieldDoc> = {
  simId: id('SIM that the event is about'),
  label: optional(text("Owner's label for the SIM", 'Work')),
  phoneNumber: optional(text('Phone number, set by the owner', '+4915112345678')),
  carrierName: optional(text('Mobile network operator', 'Example Mobile')),
  subscriptionId: {
    description: 'Android subscription id; absent if the SIM is in no phone, or its phone reports no SIMs',
    type: 'integer',
    example: 1,
    isOptional: true,
  },
};

const OPERATIONAL_DETAILS: OperationalDetailDocs = {
  DEVICE_OFFLINE: DEVICE_DETAILS,
  DEVICE_ONLINE: DEVICE_DETAILS,
  SIM_UNHEALTHY: {
    ...SIM,
    state: { description: 'State of its health', example: 'open', enum: [...BREAKER_STATES] },
    kind: {
      description: 'What went wrong: its messages fail, or are sent and no longer delivered',
      example: 'failures',
      enum: [...BLOCK_KINDS],
    },
    since: time('When it became unhealthy'),
    failureRate: { description: 'Share of its messages that failed, 0 to 1', type: 'number', example: 0.87 },
  },
  SIM_LIMIT_REACHED: {
    ...SIM,
    limit: { description: 'The limit', example: 'messagesPerDay', enum: Object.values(PERIOD_LIMITS) },
    value: { description: 'What it is set to', type: 'integer', example: 200 },
    resetsAt: time('When it resets'),
  },
};

const SUMMARIES: Record<WebhookEvent, string> = {
  MESSAGE_RECEIVED: 'The phone uploaded an incoming message, at most 48 hours after receiving it',
  MESSAGE_SENT: 'The phone sent a message and the carrier accepted it; it may not have arrived',
  MESSAGE_DELIVERED: 'The carrier confirmed that a message arrived',
  MESSAGE_FAILED:
    'A message failed permanently: the phone, the carrier or the push service rejected it, its deadline passed, its device was disabled or deleted, it was cancelled, or its recipient is blocked',
  UNKNOWN_STATE: 'The phone reported a status that is unknown to the service; the message may have arrived',
  MESSAGE_UNCONFIRMED:
    'A message was pushed to a phone that never reported on it; whether it was sent is unknown',
  DEVICE_OFFLINE: 'An enabled device has been offline or unresponsive for 90 seconds',
  DEVICE_ONLINE: 'A device is online again, after DEVICE_OFFLINE',
  SIM_UNHEALTHY: 'The messages of a SIM fail, or are no longer delivered, as if its carrier blocked it',
  SIM_LIMIT_REACHED: 'A limit of a SIM holds messages back, for the first time in its hour, day or month',
  SMS_STATUS_UPDATED: 'Reserved: can be subscribed to, but is never emitted',
};

const EVENT_DESCRIPTION = `
The order is not guaranteed and an event can be delivered more than once: deduplicate on \`idempotencyKey\`, and never move a
message back from delivered or failed. The request times out after the timeoutSeconds of the subscription.
`.trim();

const HEADERS: Parameters = {
  XSignature: header('X-Signature', {
    description: 'Hexadecimal HMAC-SHA256 of the raw body with the signingSecret as key',
    pattern: '^[0-9a-f]{64}$',
    example: 'b6a5d4d66ed1b04bbb8c8e7a5ed5ee3b6de4f5e7c1a1d5a2c7a3d1b6f7e8c9d0',
  }),
  WebhookId: header('webhook-id', {
    description: 'The idempotencyKey, under the name of Standard Webhooks',
    example: '665f1c2ab7e1d4a9c0f3e812',
  }),
  WebhookTimestamp: header('webhook-timestamp', {
    description: 'Unix time of this attempt, in seconds',
    pattern: '^\\d+$',
    example: '1769860800',
  }),
  WebhookSignature: header('webhook-signature', {
    description:
      'The signature of Standard Webhooks over id, timestamp and body. For 24 hours after a secret was replaced, a ' +
      'signature with it follows, separated by a space: up to five previous secrets',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
  IdempotencyKey: header('Idempotency-Key', {
    description: 'The idempotencyKey of the body',
    example: '665f1c2ab7e1d4a9c0f3e812',
  }),
  XWebhookTest: header(
    'X-Webhook-Test',
    { description: 'Only on samples that an owner requested', enum: ['true'], example: 'true' },
    false,
  ),
};

const RESPONSES: Responses = {
  EventAccepted: { description: 'Any 2xx: the event is delivered' },
  EventPutOff: {
    description:
      'Not accepted: the delivery is retried, with at most 10 attempts in total. Connection errors and timeouts are ' +
      'retried too',
    headers: {
      'Retry-After': {
        description:
          'Seconds, or an HTTP date: the earliest time of the next attempt, at most 24 hours ahead',
        schema: { type: 'string', example: '120' },
      },
    },
  },
  EventGone: { description: 'The delivery fails and the subscription is paused' },
  EventRefused: {
    description: 'Any other response: the delivery fails; redirects are not followed',
  },
};

const RESPONSE_BY_STATUS = {
  '2XX': 'EventAccepted',
  '403': 'EventPutOff',
  '404': 'EventPutOff',
  '408': 'EventPutOff',
  '410': 'EventGone',
  '425': 'EventPutOff',
  '429': 'EventPutOff',
  '5XX': 'EventPutOff',
  default: 'EventRefused',
};

/** The webhooks section of the API document: the posted events and the meaning of responses. */
export const EVENT_WEBHOOKS: Webhooks = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => [
    event,
    {
      post: {
        operationId: `on${nameOf(event)}`,
        summary: SUMMARIES[event],
        description: EVENT_DESCRIPTION,
        tags: ['Webhooks'],
        // Deliveries are authenticated by their signature, not by an API key.
        security: [],
        parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/${nameOf(event)}Event` } },
          },
        },
        responses: Object.fromEntries(
          Object.entries(RESPONSE_BY_STATUS).map(([code, name]) => [
            code,
            { $ref: `#/components/responses/${name}` },
          ]),
        ),
      },
    },
  ]),
);

/** Components that `EVENT_WEBHOOKS` references. */
export const EVENT_COMPONENTS = {
  schemas: Object.fromEntries(WEBHOOK_EVENTS.map((event) => [`${nameOf(event)}Event`, schemaOf(event)])),
  parameters: HEADERS,
  responses: RESPONSES,
};

/** Converts `MESSAGE_SENT` to `MessageSent`. */
function nameOf(event: WebhookEvent): string {
  return event
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}

function isOperational(event: WebhookEvent): event is OperationalEvent {
  return OPERATIONAL_EVENTS.some((operational) => operational === event);
}

function schemaOf(event: WebhookEvent): Schemas[string] {
  const fields: Record<string, FieldDoc> = {
    ...(isOperational(event) ? OPERATIONAL_ENVELOPE : ENVELOPE),
    webhookEvent: { ...ENVELOPE.webhookEvent, enum: [event], example: event },
    ...(isOperational(event) ? OPERATIONAL_DETAILS[event] : EXTRA_FIELD_DOCS[event]),
  };
  return {
    type: 'object',
    description: SUMMARIES[event],
    required: Object.keys(fields).filter((name) => !fields[name]?.isOptional),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { isOptional: _, ...facts }]) => [
        name,
        { type: 'string', ...facts },
      ]),
    ),
  };
}

interface HeaderDoc {
  readonly description: string;
  readonly example: string;
  readonly pattern?: string;
  readonly enum?: string[];
}

function header(name: string, { description, ...facts }: HeaderDoc, required = true): Parameters[string] {
  return { name, in: 'header', required, description, schema: { type: 'string', ...facts } };
}
