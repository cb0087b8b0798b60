import type { OpenAPIObject } from '@nestjs/swagger';
import { type MessageEvent, UNCONFIRMED_REASONS } from '../../messages/message-event';
import type { EnvelopeField, ExtraField } from '../event-payload';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../webhook-event';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Components = NonNullable<OpenAPIObject['components']>;
type Parameters = NonNullable<Components['parameters']>;
type Responses = NonNullable<Components['responses']>;
type Schemas = NonNullable<Components['schemas']>;

interface FieldFacts {
  readonly description: string;
  readonly example: string | boolean;
  /** Absent: a string. */
  readonly type?: 'boolean';
  readonly format?: 'date-time';
  readonly enum?: string[];
  /** Left out where it is not known. */
  readonly isOptional?: true;
}

const time = (description: string): FieldFacts => ({
  description,
  example: '2026-01-31T12:00:00.000Z',
  format: 'date-time',
});

const id = (description: string): FieldFacts => ({ description, example: '665f1c2ab7e1d4a9c0f3e812' });

const status = (value: string): FieldFacts => ({
  description: 'What the event says of the message',
  example: value,
  enum: [value],
});

const ENVELOPE: Record<EnvelopeField, FieldFacts> = {
  smsId: id('Id of the message; equals _id where messages are read'),
  message: {
    description: 'Message text; empty when the message is end-to-end encrypted',
    example: 'Your code is 1234',
  },
  deviceId: id('Device that received or sent the message'),
  webhookSubscriptionId: id('Subscription that the delivery belongs to'),
  webhookEvent: { description: 'Event name', example: 'MESSAGE_SENT' },
  idempotencyKey: id('One for each delivery, the same on every retry: what has been seen is a repetition'),
};

const ENCRYPTION = {
  encrypted: {
    description: 'Present when the text is end-to-end encrypted',
    type: 'boolean',
    example: true,
    isOptional: true,
  },
  encryptedMessage: {
    description: "The encrypted text, for the owner's own client",
    example: 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
    isOptional: true,
  },
} as const;

const OUTGOING = {
  smsBatchId: id('Batch the message was sent in'),
  recipient: { description: 'Destination number', example: '+447700900123' },
  ...ENCRYPTION,
};

/** The fields are those of the payloads; that each is told of here, the compiler sees to. */
const EXTRA_FIELDS: { [Event in MessageEvent]: Record<ExtraField<Event>, FieldFacts> } = {
  MESSAGE_RECEIVED: {
    sender: {
      description: 'Sender as the phone reports it: a number, a short code or a text name',
      example: '+447700900123',
    },
    receivedAt: time('When the phone received it'),
    truncated: {
      description: 'Present when the phone uploaded a longer sender or text than is stored',
      type: 'boolean',
      example: true,
      isOptional: true,
    },
    ...ENCRYPTION,
  },
  MESSAGE_SENT: { ...OUTGOING, status: status('sent'), sentAt: time('When the phone sent it') },
  MESSAGE_DELIVERED: {
    ...OUTGOING,
    status: status('delivered'),
    sentAt: time('When the phone sent it; of one that was never reported as sent, when it was delivered'),
    deliveredAt: time('When the carrier confirmed the delivery'),
  },
  MESSAGE_FAILED: {
    ...OUTGOING,
    status: status('failed'),
    errorCode: {
      description: "Android's send result code, or a code of the service; UNKNOWN when the phone gave none",
      example: '4',
    },
    errorMessage: {
      description: 'Why it failed, in the words of the phone if it gave any, and what to do about it',
      example: 'The phone has no service. Move it to where it has signal and send again.',
    },
    failedAt: time('When it failed'),
  },
  UNKNOWN_STATE: {
    ...OUTGOING,
    status: { description: 'What the phone reported, in lower case', example: 'delivery_failed' },
  },
  MESSAGE_UNCONFIRMED: {
    ...OUTGOING,
    status: status('unknown'),
    reason: {
      description:
        'NO_REPORT: 24 hours have passed. DEVICE_DELETED: so was the device before it had acknowledged the message. DEVICE_DISABLED: 24 hours have passed and the device is disabled',
      example: 'NO_REPORT',
      enum: [...UNCONFIRMED_REASONS],
    },
    dispatchedAt: time('When the message was handed to the push service'),
  },
};

const SUMMARIES: Record<WebhookEvent, string> = {
  MESSAGE_RECEIVED: 'The phone uploaded an incoming message, at most 48 hours after it came',
  MESSAGE_SENT: 'The phone sent a message and the carrier accepted it; it need not have arrived',
  MESSAGE_DELIVERED: 'The carrier confirmed that a message arrived',
  MESSAGE_FAILED: 'A message failed for good: the phone, the carrier or the push service refused it',
  UNKNOWN_STATE: 'The phone reported a status the service knows no state for; the message may have arrived',
  MESSAGE_UNCONFIRMED:
    'A message was handed to a phone that never reported on it; whether it was sent is not known',
  SMS_STATUS_UPDATED: 'Reserved: can be subscribed to, and is never emitted',
};

const HOW_IT_COMES = `
The order is not guaranteed, and the same event can come more than once: deduplicate on \`idempotencyKey\`, and never move a
message back from delivered or failed. An answer is waited for 15 seconds.
`.trim();

const HEADERS: Parameters = {
  XSignature: header('X-Signature', {
    description: 'HMAC-SHA256 of the raw body under the signingSecret, in hexadecimal digits',
    pattern: '^[0-9a-f]{64}$',
    example: 'b6a5d4d66ed1b04bbb8c8e7a5ed5ee3b6de4f5e7c1a1d5a2c7a3d1b6f7e8c9d0',
  }),
  WebhookId: header('webhook-id', {
    description: 'The idempotencyKey, under the name Standard Webhooks gives it',
    example: '665f1c2ab7e1d4a9c0f3e812',
  }),
  WebhookTimestamp: header('webhook-timestamp', {
    description: 'When this attempt was made, in seconds since 1970',
    pattern: '^\\d+$',
    example: '1769860800',
  }),
  WebhookSignature: header('webhook-signature', {
    description:
      'The signature of Standard Webhooks, over id, time and body; for 24 hours after the secret was replaced there ' +
      'are two, with a space between them, the other under the secret before',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
  IdempotencyKey: header('Idempotency-Key', {
    description: 'The idempotencyKey of the body',
    example: '665f1c2ab7e1d4a9c0f3e812',
  }),
  XWebhookTest: header(
    'X-Webhook-Test',
    { description: 'On samples only, which an owner asked for', enum: ['true'], example: 'true' },
    false,
  ),
};

const RESPONSES: Responses = {
  EventAccepted: { description: 'Any 2xx: the event is delivered' },
  EventPutOff: {
    description:
      'Not accepted for now: delivered again after a while, up to 10 attempts in all. So is what finds no connection ' +
      'or no answer in time',
    headers: {
      'Retry-After': {
        description: 'Seconds, or a date: the next attempt is made no earlier, up to 24 hours',
        schema: { type: 'string', example: '120' },
      },
    },
  },
  EventGone: { description: 'The delivery ends failed, and the subscription is paused' },
  EventRefused: {
    description: 'Any other answer ends the delivery as failed; redirects are not followed',
  },
};

const ANSWERS = {
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

/** The events for the API document: what is posted to subscriptions, and what their answers mean. */
export const EVENT_WEBHOOKS: Webhooks = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => [
    event,
    {
      post: {
        operationId: `on${nameOf(event)}`,
        summary: SUMMARIES[event],
        description: HOW_IT_COMES,
        tags: ['Webhooks'],
        // The signature says where it comes from; there is no key in it.
        security: [],
        parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/${nameOf(event)}Event` } },
          },
        },
        responses: Object.fromEntries(
          Object.entries(ANSWERS).map(([code, name]) => [code, { $ref: `#/components/responses/${name}` }]),
        ),
      },
    },
  ]),
);

/** What `EVENT_WEBHOOKS` refers to. */
export const EVENT_COMPONENTS = {
  schemas: Object.fromEntries(WEBHOOK_EVENTS.map((event) => [`${nameOf(event)}Event`, schemaOf(event)])),
  parameters: HEADERS,
  responses: RESPONSES,
};

/** `MESSAGE_SENT` as `MessageSent`. */
function nameOf(event: WebhookEvent): string {
  return event
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}

function schemaOf(event: WebhookEvent): Schemas[string] {
  const fields: Record<string, FieldFacts> = {
    ...ENVELOPE,
    webhookEvent: { ...ENVELOPE.webhookEvent, enum: [event], example: event },
    ...(event !== 'SMS_STATUS_UPDATED' && EXTRA_FIELDS[event]),
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

interface HeaderFacts {
  readonly description: string;
  readonly example: string;
  readonly pattern?: string;
  readonly enum?: string[];
}

function header(name: string, { description, ...facts }: HeaderFacts, required = true): Parameters[string] {
  return { name, in: 'header', required, description, schema: { type: 'string', ...facts } };
}
