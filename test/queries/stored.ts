import { randomBytes } from 'node:crypto';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import type { Account } from '../../src/auth/accounts/account.schema';
import type { ApiKey } from '../../src/auth/api-keys/api-key.schema';
import type { Session } from '../../src/auth/sessions/session.schema';
import type { Usage } from '../../src/billing/usage/usage.schema';
import type { ContactContent } from '../../src/contacts/store/contact.schema';
import { newContact } from '../../src/contacts/store/contacts.repository';
import type { Device } from '../../src/devices/store/device.schema';
import type { Pool } from '../../src/devices/sims/pools/pool.schema';
import { openBreaker } from '../../src/devices/sims/health/breaker';
import { NEW_SIM_HEALTH } from '../../src/devices/sims/health/sim-health';
import type { SimRecord } from '../../src/devices/sims/schemas/sim.schema';
import type { SimUsage } from '../../src/devices/sims/schemas/sim-usage.schema';
import type { Batch } from '../../src/messages/batch.schema';
import type { Conversation } from '../../src/messages/conversations/conversation.schema';
import type { Message } from '../../src/messages/message.schema';
import type { Delivery } from '../../src/webhooks/deliveries/delivery.schema';
import type { WebhookSubscription } from '../../src/webhooks/webhook-subscription.schema';
import type { AssembledService } from './assembled-service';

/** Enough records that a lookup is cheaper than a scan. */
const ACCOUNTS = 1_500;
const BATCHES = 1_500;
const MESSAGES = 6_000;
const DELIVERIES = 4_000;
const CONTACTS = 3_000;
/** The owner has one in `SHARE` messages, batches and deliveries. */
const SHARE = 3;
const OWN_DEVICES = 5;
/** One in `OPEN` messages, batches and deliveries is pending. */
const OPEN = 50;

const MINUTE = 60_000;

export const CONTACT_LIST = new Types.ObjectId();

/** An import of the owner. */
export const IMPORT = new Types.ObjectId();

/** One account among many, and its records. */
export interface Stored {
  readonly now: Date;
  readonly owner: Account;
  readonly key: ApiKey;
  readonly revoked: ApiKey;
  readonly session: Session;
  readonly devices: readonly Device[];
  readonly sims: readonly SimRecord[];
  readonly pools: readonly Pick<Pool, keyof Pool>[];
  readonly batches: readonly Batch[];
  readonly messages: readonly Message[];
  readonly subscriptions: readonly WebhookSubscription[];
  readonly deliveries: readonly Delivery[];
}

export const keyOfNumber = (n: number): string => `key of number ${n}`;

const hash = () => randomBytes(32).toString('hex');

/** Stores an installation with many accounts. @returns one of them. */
export async function storeInstallation(service: AssembledService, now: Date): Promise<Stored> {
  const accounts = Array.from({ length: ACCOUNTS }, () => newAccount(now));
  const [owner, ...others] = accounts;
  if (!owner) throw new Error('There are accounts');
  const userOf = (n: number) => (n % SHARE === 0 ? owner : (others[n % others.length] ?? owner))._id;
  const before = (n: number) => new Date(now.getTime() - n * MINUTE);

  const keys = accounts.flatMap(({ _id }) => [
    newKey(_id, now),
    Object.assign(newKey(_id, now), { revokedAt: now }),
  ]);
  const sessions = accounts.flatMap(({ _id }) => [newSession(_id, now), newSession(_id, now)]);
  const devices = [
    ...Array.from({ length: OWN_DEVICES - 1 }, () => newDevice(owner._id, now)),
    ...accounts.map(({ _id }, n) => newDevice(_id, now, n)),
  ];
  const devicesOf = byUser(devices);
  const deviceOf = (user: Types.ObjectId, n: number) => pick(devicesOf(user), n)._id;
  const sims = devices.flatMap(({ _id, user }, n) => [
    newSim(user, _id, now),
    Object.assign(
      newSim(user, _id, now),
      n % OPEN === 0 && {
        reviewDueAt: now,
        reviewUntil: now,
        ...relayDue(now),
        healthDueAt: now,
        health: { ...NEW_SIM_HEALTH, breaker: openBreaker(undefined, 'failures', now) },
      },
    ),
  ]);
  const pools = accounts.map(({ _id }) => newPool(_id, now));
  const batches = Array.from({ length: BATCHES }, (_, n) =>
    newBatch(userOf(n), deviceOf(userOf(n), n), before(n), n),
  );
  const batchesOf = byUser(batches);
  const messages = Array.from({ length: MESSAGES }, (_, n) => {
    const user = userOf(n);
    const received = Object.assign(newMessage(user, deviceOf(user, n), before(n)), {
      fingerprint: hash(),
      ...(n % OPEN === 0 && { conversationDueAt: before(n) }),
    });
    const own = batchesOf(user);
    return n % 4 === 0 || own.length === 0 ? received : outgoing(received, pick(own, n), n, now);
  });
  const subscriptions = accounts.flatMap(({ _id }, n) => [
    newSubscription(_id, 0, now, n),
    ...(n === 0 ? [1, 2, 3].map((slot) => newSubscription(_id, slot, now, slot)) : []),
  ]);
  const subscriptionsOf = byUser(subscriptions);
  const deliveries = Array.from({ length: DELIVERIES }, (_, n) => {
    const message = pick(messages, n);
    return newDelivery(pick(subscriptionsOf(message.user), n), message, before(n), n, now);
  });

  const collections: Record<string, readonly object[]> = {
    accounts,
    apikeys: keys,
    sessions,
    devices,
    sims,
    pools,
    simusages: sims.map(({ _id, user, reviewDueAt }) => newSimUsage(_id, user, reviewDueAt)),
    batches,
    messages,
    conversations: Array.from({ length: MESSAGES }, (_, n) =>
      newConversation(userOf(n), deviceOf(userOf(n), n), before(n), n),
    ),
    contacts: Array.from({ length: CONTACTS }, (_, n) =>
      newContact(accountScope(userOf(n)), contactContent(n), before(n)),
    ),
    lists: accounts.map(({ _id }) => ({
      _id: new Types.ObjectId(),
      user: _id,
      name: 'All',
      nameKey: 'all',
      slot: 0,
    })),
    imports: accounts.flatMap(({ _id: user }, n) =>
      ['done', 'applying'].map((state, index) => ({
        _id: n === 0 && index === 0 ? IMPORT : new Types.ObjectId(),
        ...{ user, kind: 'contacts', state, rowCount: 3, appliedRows: 3, rowsToUndo: 3 },
        ...(state === 'applying' && { open: true }),
        ...{ createdAt: before(n), dueAt: new Date(now.getTime() + n * MINUTE) },
      })),
    ),
    importrows: Array.from({ length: CONTACTS }, (_, n) => ({
      _id: new Types.ObjectId(),
      ...{ user: userOf(n), import: n % SHARE === 0 ? IMPORT : new Types.ObjectId(), row: n, line: n + 1 },
      ...(n % OPEN === 0 && { refusedRow: n, numbers: [contactNumber(n).peerNumber] }),
      ...(n % OPEN === 1 && { contact: new Types.ObjectId() }),
    })),
    views: accounts.map(({ _id }) => ({ _id: new Types.ObjectId(), user: _id, name: 'All', slot: 0 })),
    webhooksubscriptions: subscriptions,
    webhookdeliveries: deliveries,
    usages: accounts.map(({ _id }) => newUsage(_id)),
    signinlinks: accounts.map(({ _id }) => ({ _id: hash(), user: _id, generation: 0, expiresAt: now })),
    suppressions: accounts.flatMap(({ _id }) =>
      Array.from({ length: 3 }, (_, n) => ({
        _id: new Types.ObjectId(),
        user: _id,
        numberKey: keyOfNumber(n),
        number: `+4917${n}`,
        topic: '',
        state: 'out',
        covers: 'undeclared',
        at: before(n),
        source: 'keyword',
      })),
    ),
    autoreplies: accounts.flatMap(({ _id }) =>
      Array.from({ length: 3 }, (_, n) => ({
        _id: new Types.ObjectId(),
        user: _id,
        numberKey: keyOfNumber(n),
        number: `+4917${n}`,
        kind: 'answer',
        reply: new Types.ObjectId(),
        text: 'Bye',
        requestedAt: before(n),
      })),
    ),
    consents: accounts.flatMap(({ _id }) =>
      Array.from({ length: 3 }, (_, n) => ({
        _id: new Types.ObjectId(),
        user: _id,
        numberKey: keyOfNumber(n),
        number: `+4917${n}`,
        topic: '',
        state: 'out',
        at: before(n),
        source: 'keyword',
        uploadKey: hash(),
      })),
    ),
    pairingcodes: accounts.flatMap(({ _id }) =>
      Array.from({ length: 3 }, (_, n) => ({
        _id: new Types.ObjectId(),
        user: _id,
        hash: hash(),
        generation: 0,
        createdAt: before(n),
        expiresAt: now,
      })),
    ),
    onetimecodes: accounts.map(({ _id, email }) => newCode(_id, email, now)),
    totals: [...accounts.slice(1), ...devices].map(({ _id, ...rest }) => ({
      _id,
      user: 'user' in rest ? rest.user : _id,
      through: now,
      sent: 0,
      received: 0,
    })),
    daycounts: accounts.map(({ _id }) => ({ _id: `${_id.toHexString()}:2020-01-01`, user: _id })),
    processes: accounts.map(({ _id }) => ({ _id, aliveAt: now })),
    plans: accounts.map(({ _id }) => ({ _id: _id.toHexString(), displayName: 'Test' })),
  };
  for (const [name, documents] of Object.entries(collections)) {
    await service.connection.collection(name).insertMany([...documents]);
  }

  return {
    now,
    owner,
    key: pick(keys, 0),
    revoked: pick(keys, 1),
    session: pick(sessions, 0),
    devices: devicesOf(owner._id),
    sims: byUser(sims)(owner._id),
    pools: byUser(pools)(owner._id),
    batches: batchesOf(owner._id),
    messages: byUser(messages)(owner._id),
    subscriptions: subscriptionsOf(owner._id),
    deliveries: byUser(deliveries)(owner._id),
  };
}

/** A contact of a list, with a tag and a field. */
const contactContent = (n: number): ContactContent => ({
  name: `Person ${n}`,
  numbers: [contactNumber(n)],
  fields: [{ name: 'city', value: `City ${n % 10}` }],
  tags: [`tag ${n % 10}`],
  lists: [CONTACT_LIST],
});

export const contactNumber = (n: number) => {
  const number = `+49151${20_000_000 + n}`;
  return { number, peerNumber: number };
};

const newConversation = (
  user: Types.ObjectId,
  device: Types.ObjectId,
  at: Date,
  n: number,
): Conversation => ({
  _id: new Types.ObjectId(),
  user,
  number: n === 0 ? '+4915112345678' : `+4917${n}`,
  lastMessage: new Types.ObjectId(),
  lastMessageAt: at,
  device,
  ...(n % OPEN === 0 && { unread: true, lastReceived: new Types.ObjectId(), lastReceivedAt: at }),
  ...(n % OPEN === 1 && { refreshDueAt: at }),
  ...(n % OPEN === 2 && { unanswered: true }),
  version: 1,
  createdAt: at,
  updatedAt: at,
});

/** The items of one account. */
function byUser<Item extends { readonly user: Types.ObjectId }>(
  items: readonly Item[],
): (user: Types.ObjectId) => Item[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = item.user.toHexString();
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return (user) => groups.get(user.toHexString()) ?? [];
}

/** One of several items in turn. */
export function pick<Item>(items: readonly Item[], n: number): Item {
  const item = items[n % items.length];
  if (item === undefined) throw new Error('There is none to pick');
  return item;
}

function newAccount(now: Date): Account {
  const _id = new Types.ObjectId();
  return { _id, email: `${_id.toHexString()}@example.com`, name: 'Test', createdAt: now, updatedAt: now };
}

function newSession(user: Types.ObjectId, now: Date): Session {
  return {
    _id: new Types.ObjectId(),
    user,
    hash: hash(),
    method: 'password',
    generation: 0,
    createdAt: now,
    lastUsedAt: now,
    lastUsedFrom: { address: '127.0.0.1' },
    expiresAt: new Date(now.getTime() + 60 * MINUTE),
  };
}

export function newKey(user: Types.ObjectId, now: Date): ApiKey {
  return { _id: new Types.ObjectId(), user, hash: hash(), start: 'mgw_abcd', name: 'Test', createdAt: now };
}

const relayDue = (now: Date) => ({ relayDueAt: now, relayAloneAt: now, relaySetAsideAt: now });

export function newDevice(user: Types.ObjectId, now: Date, n = 1): Device {
  return {
    _id: new Types.ObjectId(),
    user,
    enabled: true,
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 8',
    buildId: 'AP2A.240805.005',
    os: 'Android',
    osVersion: '14',
    heartbeatEnabled: true,
    heartbeatIntervalMinutes: 30,
    receiveSMSEnabled: true,
    smsSendDelaySeconds: 3,
    lastHeartbeat: now,
    createdAt: now,
    updatedAt: now,
    pushTransport: 'fcm',
    fcmToken: hash(),
    serial: hash(),
    probeDueAt: new Date(now.getTime() + 60 * MINUTE),
    connectionCheckAt: new Date(now.getTime() + 60 * MINUTE),
    announcedState: n % OPEN === 0 ? 'offline' : 'online',
    ...(n % OPEN === 0 && relayDue(now)),
  };
}

export function newBatch(user: Types.ObjectId, device: Types.ObjectId, at: Date, n: number): Batch {
  return {
    _id: new Types.ObjectId(),
    user,
    device,
    acceptance: 'accepted',
    message: 'Your appointment is tomorrow at nine.',
    recipientCount: 4,
    groups: [{ count: 4, firstWave: 0, waves: 1, planned: true }],
    idempotencyKey: hash(),
    ...(n % OPEN === 0 && { acceptance: 'accepting', unsettledSince: at }),
    ...(n % OPEN === 1 && { cancellingSince: at }),
    ...(n % OPEN === 2 && { hiddenAt: at }),
    ...(n % OPEN === 3 && { conversationsDueAt: at }),
    createdAt: at,
    updatedAt: at,
  };
}

export function newMessage(user: Types.ObjectId, device: Types.ObjectId, at: Date): Message {
  return {
    _id: new Types.ObjectId(),
    user,
    device,
    direction: 'received',
    status: 'received',
    message: 'Thank you, I shall be there at nine.',
    sender: '+4915112345678',
    peerNumber: '+4915112345678',
    receivedAt: at,
    settledAt: at,
    countedAt: at,
    createdAt: at,
    updatedAt: at,
    raised: ['MESSAGE_RECEIVED'],
    outbox: [],
  };
}

function outgoing(
  { _id, user, createdAt, updatedAt, message }: Message,
  { _id: smsBatch, device }: Batch,
  n: number,
  now: Date,
): Message {
  const sent = {
    _id,
    user,
    device,
    smsBatch,
    wave: n % 3,
    direction: 'sent' as const,
    message,
    recipient: '+4915112345678',
    peerNumber: '+4915112345678',
    requestedAt: createdAt,
    nextDispatchAt: createdAt,
    createdAt,
    updatedAt,
    raised: [],
    outbox: [],
  };
  switch (n % OPEN) {
    case 1:
      return { ...sent, status: 'pending' };
    case 2:
      return {
        ...sent,
        status: 'dispatched',
        dispatchedAt: createdAt,
        redeliverUntil: now,
        dispatchAttempts: 1,
      };
    case 3:
      return {
        ...sent,
        status: 'sent',
        countedAt: createdAt,
        settledAt: createdAt,
        outbox: [{ event: 'MESSAGE_SENT', at: createdAt }],
        relayDueAt: createdAt,
        relayAloneAt: createdAt,
        relaySetAsideAt: createdAt,
      };
    default:
      return {
        ...sent,
        status: 'delivered',
        countedAt: createdAt,
        finalCountedAt: createdAt,
        settledAt: createdAt,
        ...(n % OPEN === 4 && { deletedAt: createdAt }),
      };
  }
}

export function newSubscription(
  user: Types.ObjectId,
  slot: number,
  now: Date,
  n: number,
): WebhookSubscription {
  return {
    _id: new Types.ObjectId(),
    user,
    isActive: true,
    events: ['MESSAGE_RECEIVED'],
    deliveryUrl: 'https://example.com/events',
    signingSecret: hash(),
    successfulDeliveryCount: 0,
    deliveryFailureCount: 0,
    deliveryAttemptCount: 0,
    notes: [],
    createdAt: now,
    updatedAt: now,
    slot,
    previousSecrets: [],
    failingAttempts: 0,
    ...(n % OPEN === 1 && { failingSince: now, failingAttempts: 30 }),
  };
}

export function newDelivery(
  { _id: webhookSubscription }: WebhookSubscription,
  { _id: message, user, device }: Message,
  at: Date,
  n: number,
  now: Date,
): Delivery {
  const isOpen = n % OPEN === 0;
  return {
    _id: new Types.ObjectId(),
    user,
    webhookSubscription,
    event: 'MESSAGE_RECEIVED',
    computedStatus: isOpen ? 'pending' : n % OPEN === 1 ? 'failed' : 'delivered',
    deliveryAttemptCount: isOpen ? 0 : 1,
    ...(isOpen && { nextDeliveryAttemptAt: new Date(Math.min(at.getTime(), now.getTime())) }),
    createdAt: at,
    message,
    device,
    reportedStatus: String(n),
    body: JSON.stringify({ smsId: message, message: 'Thank you, I shall be there at nine.' }),
    attempts: [],
    redeliveryCount: 0,
  };
}

function newUsage(user: Types.ObjectId): Usage {
  return {
    _id: user,
    day: '2026-01-31',
    dayCount: 4,
    month: '2026-01',
    monthCount: 40,
    reserved: [],
    returned: [],
  };
}

function newCode(user: Types.ObjectId, email: string, now: Date): object {
  const expiresAt = new Date(now.getTime() + 60 * MINUTE);
  return { _id: `${user.toHexString()}:verify-email`, user, hash: hash(), email, tries: 0, expiresAt };
}

export function newSim(user: Types.ObjectId, device: Types.ObjectId, now: Date): SimRecord {
  const _id = new Types.ObjectId();
  return {
    _id,
    user,
    key: `icc:${_id.toHexString()}`,
    device,
    isPresent: true,
    enabled: true,
    seenAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

function newPool(user: Types.ObjectId, now: Date): Pick<Pool, keyof Pool> {
  const _id = new Types.ObjectId();
  return {
    _id,
    user,
    name: 'Test',
    sims: [new Types.ObjectId()],
    strategy: 'sticky',
    createdAt: now,
    updatedAt: now,
  };
}

function newSimUsage(_id: Types.ObjectId, user: Types.ObjectId, dueAt: Date | undefined): SimUsage {
  return {
    _id,
    user,
    version: new Types.ObjectId(),
    reservations: [],
    ...(dueAt && { dueAt }),
  };
}
