import { Types } from 'mongoose';
import { batchOf, deliveredMessage, deviceOf, recipientOf } from '../../../bench/documents';
import { storeDeliveredMessages, type Tenant } from '../../../bench/tenant';
import { callApi, readData } from '../api-calls';
import type { AttackContext } from '../attack';

export const PASSWORD = 'correct horse battery staple';
const EMAIL = 'routes@example.com';
export const OTHER_EMAIL = 'other@example.com';

/** How much the attacked account has stored: the limits of an account or of one send, with room for what is created. */
export interface WorldSize {
  readonly devices: number;
  readonly simsPerDevice: number;
  readonly messages: number;
  readonly recipients: number;
  readonly scheduledSends: number;
  readonly views: number;
  readonly pools: number;
  readonly contacts: number;
  readonly lists: number;
}

export const FULL_WORLD: WorldSize = {
  devices: 97,
  simsPerDevice: 8,
  messages: 50_000,
  recipients: 10_000,
  scheduledSends: 10,
  views: 38,
  pools: 40,
  contacts: 1_000,
  lists: 60,
};

export const SHORT_WORLD: WorldSize = {
  devices: 30,
  simsPerDevice: 4,
  messages: 5_000,
  recipients: 10_000,
  scheduledSends: 3,
  views: 20,
  pools: 10,
  contacts: 100,
  lists: 20,
};

/** What a contact may have beside its name and numbers. */
export const LARGE_CONTACT = {
  fields: Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`field ${index}`, '\u{1F600}'.repeat(500)]),
  ),
  tags: Array.from({ length: 50 }, (_, index) => `tag ${index} ${'x'.repeat(50)}`),
  notes: '\u{1F600}'.repeat(2_500),
};

/** As the app sends them. */
export const APP_HEADERS = { 'user-agent': 'me.capcom.smsgateway/1.68.0' } as const;

/** An account with as much as it may have, and the ids that its routes need. */
export interface World extends Tenant {
  readonly email: string;
  session: string;
  readonly batch: string;
  readonly scheduledBatch: string;
  readonly message: string;
  /** Some messages of `batch`, and of a scheduled send whose messages are reported, cancelled and deleted. */
  readonly batchMessages: readonly string[];
  readonly scheduledMessages: readonly string[];
  readonly sims: readonly string[];
  readonly pools: readonly string[];
  readonly views: readonly string[];
  readonly contacts: readonly string[];
  readonly lists: readonly string[];
  /** A phone with the app SMS Gateway for Android, and messages that it has been handed. */
  readonly app: { readonly id: string; readonly token: string; readonly messages: readonly string[] };
  readonly ids: Readonly<
    Record<
      | 'pool'
      | 'view'
      | 'contact'
      | 'list'
      | 'webhook'
      | 'notification'
      | 'key'
      | 'pairingCode'
      | 'otherAccount',
      string
    >
  >;
}

interface Stored {
  readonly _id: string;
}

/** Creates the account over the API, and its history in the database. */
export async function createWorld(context: AttackContext, size: WorldSize): Promise<World> {
  const { apiUrl, records, log } = context;
  const registered = await register(apiUrl, EMAIL);
  const other = await register(apiUrl, OTHER_EMAIL);
  const user = new Types.ObjectId(registered.user._id);
  const now = new Date();
  await records.accounts.updateOne(
    { _id: user },
    { $set: { operator: true, emailVerifiedAt: now, firstVerifiedAt: now } },
  );
  const session = registered.accessToken;
  const authorization = `Bearer ${session}`;
  const apiKey = await readData<string>(
    fetch(`${apiUrl}/api/v1/auth/api-keys`, { method: 'POST', headers: { authorization } }),
  );
  const devices = Array.from({ length: size.devices }, () => new Types.ObjectId());
  await records.devices.insertMany(devices.map((id) => deviceOf(user, id)));
  const tenant: Tenant = { user, devices, apiKey };
  const [device] = devices;
  if (!device) throw new Error('There is no device');

  const call = <Data>(method: string, path: string, body?: object) =>
    readData<Data>(callApi(apiUrl, apiKey, method, path, body));
  const create = async (path: string, bodies: readonly object[]) =>
    (await inParallel(bodies, (body) => call<Stored>('POST', path, body))).map(({ _id }) => _id);

  await inParallel([...devices.entries()], ([index, id]) =>
    call('POST', `/gateway/devices/${String(id)}/heartbeat`, {
      simInfo: {
        sims: numbers(size.simsPerDevice).map((sim) => ({
          subscriptionId: sim + 1,
          iccId: `89490200${String(index * size.simsPerDevice + sim).padStart(11, '0')}`,
          simSlotIndex: sim,
          countryIso: 'de',
        })),
      },
    }),
  );
  const sims = (await call<Stored[]>('GET', '/gateway/sims')).map(({ _id }) => _id);
  log(`${size.devices} phones, ${sims.length} SIMs stored`);

  await storeDeliveredMessages(records, tenant, size.messages);
  const batch = batchOf(tenant, device, size.recipients, new Date(now.getTime() - 3_600_000));
  await records.batches.insertOne(batch);
  await records.fillMessages(size.recipients, (number) =>
    deliveredMessage(batch, number, { message: '\u{1F600}'.repeat(800) }),
  );
  log(`${size.messages + size.recipients} messages stored`);

  const scheduledAt = new Date(now.getTime() + 24 * 3_600_000).toISOString();
  await inParallel(sims.slice(0, size.scheduledSends), (sim) =>
    call('PATCH', `/gateway/sims/${sim}`, { limits: { messagesPerHour: 1 } }),
  );
  const sendLater = (count: number, index: number) =>
    call<{ smsBatchId: string }>('POST', '/gateway/send-sms', {
      message: 'Held back',
      recipients: numbers(count).map(recipientOf),
      scheduledAt,
      deviceId: String(devices[Math.floor(index / size.simsPerDevice)]),
    });
  const [smallSend] = await inParallel(numbers(size.scheduledSends), (index) => sendLater(1_000, index));
  const { smsBatchId: scheduledBatch } = await sendLater(size.recipients, 0);
  log('Scheduled sends stored');

  const { id: pairingCode, code } = await readData<{ id: string; code: string }>(
    fetch(`${apiUrl}/api/v1/auth/pairing-codes`, { method: 'POST', headers: { authorization } }),
  );
  const paired = await fetch(`${apiUrl}/sms/device`, {
    method: 'POST',
    headers: { ...APP_HEADERS, authorization: `Code ${code}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Google/oriole' }),
  });
  const app = (await paired.json()) as { id: string; token: string };
  const { smsBatchId: appSend } = await call<{ smsBatchId: string }>('POST', '/gateway/send-sms', {
    message: 'To be fetched',
    recipients: numbers(1_000).map(recipientOf),
    deviceId: app.id,
  });
  // As its worker would have, which does not run here.
  const dispatched = {
    status: 'dispatched' as const,
    dispatchAttempts: 1,
    dispatchedAt: now,
    redeliverUntil: new Date(now.getTime() + 72 * 3_600_000),
  };
  await records.messages.updateMany(
    { smsBatch: new Types.ObjectId(appSend) },
    { $set: dispatched, $unset: { nextDispatchAt: 1 } },
  );
  log('An app is paired');

  const views = await create(
    '/gateway/views',
    numbers(size.views).map((index) => ({ name: `View ${index}`, query: 'status=failed' })),
  );
  const pools = await create(
    '/gateway/pools',
    numbers(size.pools).map((index) => ({
      name: `Pool ${index}`,
      sims: sims.slice(0, 20),
      strategy: 'sticky',
    })),
  );
  const contacts = await create(
    '/gateway/contacts',
    numbers(size.contacts).map((index) => ({
      ...LARGE_CONTACT,
      name: `Person ${index} ${'x'.repeat(100)}`,
      numbers: [{ number: recipientOf(20_000 + index) }],
    })),
  );
  const lists = await create(
    '/gateway/lists',
    numbers(size.lists).map((index) => ({ name: `List ${index}` })),
  );
  await inParallel(lists, (list) =>
    call('POST', `/gateway/lists/${list}/members`, { contactIds: contacts.slice(0, 1_000) }),
  );
  log(`${size.contacts} contacts stored`);
  const webhooks = await create(
    '/webhooks',
    numbers(7).map((index) => ({
      deliveryUrl: `http://127.0.0.1:9999/${index}`,
      signingSecret: 'a secret of twenty characters',
      events: ['MESSAGE_RECEIVED'],
    })),
  );
  const idsOf = async (smsBatch: Types.ObjectId) => {
    const found = await records.messages
      .find({ smsBatch }, { projection: { _id: 1 }, limit: 1_000 })
      .toArray();
    return found.map(({ _id }) => String(_id));
  };
  const batchMessages = await idsOf(batch._id);
  const scheduledMessages = await idsOf(new Types.ObjectId(smallSend?.smsBatchId));
  const [message = ''] = batchMessages;
  const notification = new Types.ObjectId();
  await records.deliveries.insertMany(
    numbers(1_000).map((index) => ({
      _id: index === 0 ? notification : new Types.ObjectId(),
      user,
      webhookSubscription: new Types.ObjectId(webhooks[0]),
      event: 'MESSAGE_RECEIVED' as const,
      computedStatus: 'delivered' as const,
      deliveryAttemptCount: 1,
      createdAt: now,
      message: index === 0 ? new Types.ObjectId(message) : new Types.ObjectId(),
      device,
      reportedStatus: '' as const,
      body: JSON.stringify({ message: 'x'.repeat(5_000), sender: recipientOf(index) }),
      attempts: [],
      redeliveryCount: 0,
    })),
  );
  return {
    ...tenant,
    email: EMAIL,
    session,
    batch: String(batch._id),
    scheduledBatch,
    message,
    batchMessages: batchMessages.slice(1),
    scheduledMessages,
    sims,
    pools: pools.slice(1),
    views: views.slice(1),
    contacts: contacts.slice(1),
    lists: lists.slice(1),
    app: { ...app, messages: await idsOf(new Types.ObjectId(appSend)) },
    ids: {
      pool: pools[0] ?? '',
      view: views[0] ?? '',
      contact: contacts[0] ?? '',
      list: lists[0] ?? '',
      webhook: webhooks[0] ?? '',
      notification: String(notification),
      pairingCode,
      key: String((await records.apiKeys.findOne({ user }))?._id),
      otherAccount: other.user._id,
    },
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const register = (apiUrl: string, email: string): Promise<{ accessToken: string; user: Stored }> =>
  readData(callApi(apiUrl, '', 'POST', '/auth/register', { name: 'Ada', email, password: PASSWORD }));

export const logIn = (apiUrl: string, email: string): Promise<{ accessToken: string }> =>
  readData(callApi(apiUrl, '', 'POST', '/auth/login', { email, password: PASSWORD }));

const IN_PARALLEL = 4;

async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += IN_PARALLEL)
    results.push(...(await Promise.all(items.slice(first, first + IN_PARALLEL).map(run))));
  return results;
}
