import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { type BatchJson, TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { SessionClient } from '../support/session-client';
import type { RecordedInstallation } from './snapshot';

const PASSWORD = 'four words to remember';
const EMAIL = 'ada@example.com';

interface Service {
  readonly url: string;
  readonly webhookUrl: string;
  /** Waits for the code mailed to this address. */
  readonly mailedCode: (email: string) => Promise<string>;
}

/** Uses a running service until it has stored at least one record of each kind. */
export async function fill(service: Service): Promise<RecordedInstallation> {
  const owner = await register(service);
  const apiKey = await newKey(owner, 'Main');
  const client = new TestClient(service.url, apiKey, new Types.ObjectId());
  const device = await client.newDevice({ name: 'Pixel' });
  const disabled = await client.newDevice({ name: 'Old phone' });
  await expectStatus(200, client.patch(`/gateway/devices/${disabled}`, { enabled: false }));
  await expectStatus(200, client.post(`/gateway/devices/${device}/heartbeat`, { batteryPercentage: 80 }));
  const webhook = await subscribe(client, service.webhookUrl);
  const revokedApiKey = await revokedKey(owner);

  const messages = await send(client, device);
  await report(client, device, messages.slice(0, 3));
  const incoming = { sender: '+447700900200', message: 'Yes, please', receivedAtInMillis: Date.now() };
  await expectStatus(200, client.post(`/gateway/devices/${device}/receive-sms`, incoming));

  const idempotencyKey = randomUUID();
  const idempotent = await client
    .post('/gateway/send-sms', { message: 'Once', recipients: ['+447700900110'] })
    .set('idempotency-key', idempotencyKey);
  const idempotentBatch = dataOf<{ smsBatchId: string }>(idempotent.body).smsBatchId;
  await whenDispatched(client, device, idempotentBatch);

  const inTwoDays = new Date(Date.now() + 2 * 24 * 3_600_000).toISOString();
  const later = { deviceId: device, scheduledAt: inTwoDays };
  const scheduledBatch = await client.send(['+447700900120', '+447700900121'], later);
  const cancelled = await client.send(['+447700900130'], later);
  await expectStatus(200, client.post(`/gateway/devices/${device}/sms-batch/${cancelled}/cancel`));

  await eventually(
    async () => JSON.stringify((await client.get('/webhooks/notifications')).body),
    (text) => text.includes('"delivered"') && !text.includes('"pending"'),
    30_000,
  );
  return {
    apiKey,
    revokedApiKey,
    email: EMAIL,
    password: PASSWORD,
    device,
    webhook,
    dispatchedMessage: messages[3] ?? '',
    scheduledBatch,
    idempotencyKey,
    idempotentBatch,
    incoming,
  };
}

/** The paths whose responses must survive an upgrade. */
export function pathsOf({
  device,
  scheduledBatch,
  idempotentBatch,
  webhook,
}: RecordedInstallation): string[] {
  return [
    '/gateway/stats',
    '/gateway/devices',
    '/gateway/messages?limit=100',
    '/gateway/messages?direction=received',
    '/gateway/messages?status=delivered',
    `/gateway/devices/${device}`,
    `/gateway/devices/${device}/messages?limit=100`,
    `/gateway/devices/${device}/sms-batch/${scheduledBatch}`,
    `/gateway/devices/${device}/sms-batch/${idempotentBatch}`,
    '/webhooks',
    `/webhooks/${webhook}`,
    '/webhooks/notifications?limit=100',
    '/billing/current-subscription',
    '/billing/plans',
    '/auth/api-keys',
    '/auth/who-am-i',
  ];
}

/** Creates a verified account with a password. */
async function register({ url, mailedCode }: Service): Promise<SessionClient> {
  const visitor = await new SessionClient(url).register(EMAIL, PASSWORD);
  const verificationCode = await mailedCode(EMAIL);
  const userId = visitor.session.user._id;
  await expectStatus(200, visitor.post('/auth/verify-email', { userId, verificationCode }));
  return visitor;
}

async function newKey(owner: SessionClient, name: string): Promise<string> {
  const created = await owner.post('/auth/api-keys', { name });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return dataOf<string>(created.body);
}

async function subscribe(client: TestClient, deliveryUrl: string): Promise<string> {
  const events = ['MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'MESSAGE_RECEIVED'];
  const answer = await client.post('/webhooks', {
    name: 'Mine',
    deliveryUrl,
    events,
    signingSecret: 'a secret of twenty characters and more',
  });
  return dataOf<{ _id: string }>(answer.body)._id;
}

async function revokedKey(owner: SessionClient): Promise<string> {
  const key = await newKey(owner, 'Second');
  const listed = await owner.get('/auth/api-keys');
  const found = dataOf<{ _id: string; name: string }[]>(listed.body).find(({ name }) => name === 'Second');
  await expectStatus(200, owner.post(`/auth/api-keys/${found?._id ?? ''}/revoke`));
  return key;
}

/** Sends four messages to the phone. @returns their ids. */
async function send(client: TestClient, device: string): Promise<string[]> {
  const recipients = ['+447700900101', '+447700900102', '+447700900103', '+447700900104'];
  const batch = await client.send(recipients, { deviceId: device });
  return (await whenDispatched(client, device, batch)).messages.map(({ _id }) => _id);
}

function whenDispatched(client: TestClient, device: string, batch: string): Promise<BatchJson> {
  return eventually(
    () => client.batch(device, batch),
    ({ messages }) => messages.every(({ status }) => status === 'dispatched'),
    30_000,
  );
}

async function report(client: TestClient, device: string, [first, second, third]: string[]): Promise<void> {
  const at = { sentAtInMillis: Date.now() };
  for (const id of [first, second]) await client.report(device, id ?? '', 'SENT', at);
  await client.report(device, first ?? '', 'DELIVERED', { deliveredAtInMillis: Date.now() });
  const failure = { failedAtInMillis: Date.now(), errorCode: '1', errorMessage: 'GENERIC_FAILURE' };
  await client.report(device, third ?? '', 'FAILED', failure);
}

/** The `data` of a response. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `JSON.parse` cannot have one
const dataOf = <T>(body: unknown): T => (body as { data: T }).data;

async function expectStatus(
  status: number,
  call: PromiseLike<{ status: number; body: unknown }>,
): Promise<void> {
  const answer = await call;
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
}
