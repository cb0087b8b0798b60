import { createHash, randomBytes } from 'node:crypto';
import { Types } from 'mongoose';
import type { Account } from '../src/auth/accounts/account.schema';
import { toStoredKey } from '../src/auth/api-keys/api-key';
import type { ApiKey } from '../src/auth/api-keys/api-key.schema';
import type { Suppression } from '../src/consent/suppressions/suppression.schema';
import type { Device } from '../src/devices/store/device.schema';
import type { Batch } from '../src/messages/batch.schema';
import type { Message } from '../src/messages/message.schema';

/** The owner of the records of a row. */
export interface Owner {
  readonly user: Types.ObjectId;
  readonly devices: readonly Types.ObjectId[];
}

export const TEXT = 'Your order 4711 has left our warehouse and will be with you tomorrow between 9 and 12.';

export function recipientOf(number: number): string {
  return `+49151${String(number).padStart(8, '0')}`;
}

export function accountOf(user: Types.ObjectId, name: string, defaultDevice?: Types.ObjectId): Account {
  const now = new Date();
  return {
    _id: user,
    email: `${name}@bench.localdomain`,
    name,
    emailVerifiedAt: now,
    firstVerifiedAt: now,
    ...(defaultDevice && { defaultDevice }),
    createdAt: now,
    updatedAt: now,
  };
}

/** An API key that was just used, so that no row includes the update of its last use. */
export function keyOf(user: Types.ObjectId, key: string): ApiKey {
  const now = new Date();
  return {
    _id: new Types.ObjectId(),
    user,
    ...toStoredKey(key),
    name: 'Bench',
    lastUsedAt: now,
    createdAt: now,
  };
}

export function deviceOf(user: Types.ObjectId, _id: Types.ObjectId): Device {
  const now = new Date();
  return {
    _id,
    user,
    enabled: true,
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 8',
    buildId: 'AP2A.240805.005',
    os: 'android',
    osVersion: '14',
    osVersionSource: 'reported',
    appVersionName: '2.7.1',
    appVersionCode: 41,
    heartbeatEnabled: true,
    heartbeatIntervalMinutes: 30,
    receiveSMSEnabled: true,
    smsSendDelaySeconds: 5,
    // No message waits for the pace, whose update is measured.
    partsPerMinute: null,
    lastHeartbeat: now,
    createdAt: now,
    updatedAt: now,
    pushTransport: 'stream',
    stream: { id: new Types.ObjectId(), openedAt: now },
    serial: createHash('sha256').update(_id.id).digest('hex').slice(0, 16),
    probeDueAt: new Date(now.getTime() + 24 * 3_600_000),
  };
}

/** An accepted batch in one wave. */
export function batchOf(
  { user }: Owner,
  device: Types.ObjectId,
  recipientCount: number,
  now = new Date(),
): Batch {
  return {
    _id: new Types.ObjectId(),
    user,
    device,
    acceptance: 'accepted',
    message: TEXT,
    recipientCount,
    recipientPreview: recipientOf(0),
    groups: [{ count: recipientCount, firstWave: 0, waves: 1, planned: true }],
    createdAt: now,
    updatedAt: now,
  };
}

/** A message as stored by a send. */
export function pendingMessage(batch: Batch, number: number, overrides: Partial<Message> = {}): Message {
  const { user, device, _id: smsBatch, createdAt } = batch;
  return {
    _id: new Types.ObjectId(),
    user,
    device,
    direction: 'sent',
    status: 'pending',
    message: TEXT,
    recipient: recipientOf(number),
    peerNumber: recipientOf(number),
    smsBatch,
    requestedAt: createdAt,
    wave: 0,
    nextDispatchAt: createdAt,
    raised: [],
    outbox: [],
    createdAt,
    updatedAt: createdAt,
    ...overrides,
  };
}

/** A dispatched message. */
export function dispatchedMessage(batch: Batch, number: number): Message {
  const { createdAt } = batch;
  return pendingMessage(batch, number, {
    status: 'dispatched',
    dispatchedAt: createdAt,
    dispatchAttempts: 1,
    redeliverUntil: new Date(createdAt.getTime() + 72 * 3_600_000),
  });
}

/** A delivered message. */
export function deliveredMessage(batch: Batch, number: number, overrides: Partial<Message> = {}): Message {
  const { createdAt } = batch;
  return pendingMessage(batch, number, {
    status: 'delivered',
    dispatchedAt: createdAt,
    dispatchAttempts: 1,
    sentAt: createdAt,
    deliveredAt: createdAt,
    settledAt: createdAt,
    countedAt: createdAt,
    raised: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
    ...overrides,
  });
}

/** The device of an index, in turn. */
export function deviceAt({ devices }: Pick<Owner, 'devices'>, number: number): Types.ObjectId {
  const device = devices[number % devices.length];
  if (!device) throw new Error('There is no device');
  return device;
}

/** A message as stored when its phone uploads it. */
export function receivedMessage({ user }: Owner, device: Types.ObjectId, number: number): Message {
  const now = new Date();
  return {
    _id: new Types.ObjectId(),
    user,
    device,
    direction: 'received',
    status: 'received',
    message: TEXT,
    sender: recipientOf(number),
    peerNumber: recipientOf(number),
    fingerprint: `${user.toHexString()}-${number}`,
    receivedAt: now,
    conversationDueAt: now,
    countedAt: now,
    raised: ['MESSAGE_RECEIVED'],
    outbox: [{ event: 'MESSAGE_RECEIVED', at: now }],
    relayDueAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

/** The block of a number that nothing is sent to. */
export function suppressionOf(user: Types.ObjectId, number: number): Suppression {
  return {
    _id: new Types.ObjectId(),
    user,
    numberKey: randomBytes(32).toString('base64url'),
    number: `+4930${String(number).padStart(8, '0')}`,
    topic: '',
    state: 'out',
    covers: 'undeclared',
    at: new Date(),
    source: 'keyword',
    words: 'STOP',
  };
}
