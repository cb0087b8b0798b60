import { createHash } from 'node:crypto';
import type { SendEntryInput, SendInput, SendOptionsInput } from '../../send-input/send-input';
import { idempotentRequest } from './idempotency.service';

const NUMBERS = ['+447700900123', '+447700900124'];

/** As batches store it. */
const hashOf = (...content: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex');

describe('the hash of an idempotent request', () => {
  it.each<[string, SendInput, readonly unknown[]]>([
    [
      'a text',
      { deviceId: 'd', entries: [{ message: 'Hi "Ada"', recipients: NUMBERS }] },
      [null, 'd', null, [['Hi "Ada"', null, NUMBERS, null, null, null]]],
    ],
    [
      'a bulk send with options',
      {
        entriesField: 'messages',
        messageTemplate: 'Hi {name}',
        entries: [
          { smsBody: 'Hi Ada', receivers: NUMBERS, simSubscriptionId: 2 },
          { message: 'Hi Bob', recipients: NUMBERS, scheduledAt: '2026-01-31T09:00:00Z' },
        ],
        options: { priority: 'urgent', quietHours: { from: '20:00', to: '08:00' } },
      },
      [
        'messages',
        null,
        'Hi {name}',
        [
          [null, 'Hi Ada', null, NUMBERS, 2, null],
          ['Hi Bob', null, NUMBERS, null, null, '2026-01-31T09:00:00Z'],
        ],
        { priority: 'urgent', quietHours: ['20:00', '08:00'] },
      ],
    ],
    [
      'an encrypted text',
      { entries: [{ encrypted: true, encryptedMessage: 'v1:x', recipients: NUMBERS }] },
      [null, null, null, [[null, null, NUMBERS, null, null, null, true, 'v1:x']]],
    ],
    [
      'what a send declares',
      {
        entries: [],
        options: { purpose: 'marketing', topic: 'offers', onInvalidNumber: 'skip' },
      },
      [null, null, null, [], { purpose: 'marketing', topic: 'offers', onInvalidNumber: 'skip' }],
    ],
    ['nothing', { entries: [] }, [null, null, null, []]],
  ])('of %s stays that of stored batches', async (_, input, content) => {
    expect(await idempotentRequest('key', input)).toEqual({ key: 'key', hash: hashOf(...content) });
  });

  // A field that is added to a request does not compile here until it has a value.
  const entry: Required<SendEntryInput> = {
    message: 'Hi',
    recipients: NUMBERS,
    listId: 'l',
    simSubscriptionId: 2,
    scheduledAt: '2026-01-31T09:00:00Z',
    encrypted: true,
    encryptedMessage: 'v1:x',
    smsBody: 'Hi Ada',
    receivers: NUMBERS,
  };
  const options: Required<SendOptionsInput> = {
    priority: 'urgent',
    validUntil: '2026-01-31T10:00:00Z',
    validForSeconds: 60,
    quietHours: { from: '20:00', to: '08:00' },
    purpose: 'marketing',
    topic: 'offers',
    onInvalidNumber: 'skip',
  };
  const request: Required<Omit<SendInput, 'isConsentReply' | 'kept'>> = {
    entries: [entry],
    entriesField: 'messages',
    deviceId: 'd',
    poolId: 'p',
    messageTemplate: 'Hi {name}',
    options,
  };
  const without = <T extends object>(whole: T, field: string): T => ({ ...whole, [field]: undefined });

  it.each<[string, SendInput]>([
    ...Object.keys(entry).map((field): [string, SendInput] => [
      `${field} of an entry`,
      { ...request, entries: [without(entry, field)] },
    ]),
    ...Object.keys(options).map((field): [string, SendInput] => [
      `the option ${field}`,
      { ...request, options: without(options, field) },
    ]),
    ...['entriesField', 'deviceId', 'poolId', 'messageTemplate'].map((field): [string, SendInput] => [
      field,
      without(request, field),
    ]),
  ])('differs without %s', async (_, input) => {
    expect((await idempotentRequest('key', input)).hash).not.toBe(
      (await idempotentRequest('key', request)).hash,
    );
  });
});
