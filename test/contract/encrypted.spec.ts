import { longestSmsCommand } from '../../src/gateway/senders/push-sizes';
import { dataBytes, MAX_DATA_BYTES } from '../../src/push/fcm/fcm-message';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';
import { WebhookOwner } from './webhook-owner';

const SECRET = 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==';
const TO = { recipients: ['+4915112345678'] };
const ENCRYPTED = { ...TO, encrypted: true, encryptedMessage: SECRET };
const FACTS = { message: '', encrypted: true, encryptedMessage: SECRET };

interface ListJson {
  readonly data: { readonly _id: string; readonly [field: string]: unknown }[];
}

describe('end-to-end encrypted texts', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice({ supportsEncryption: true });
  });
  afterAll(() => service.stop());

  const stored = () => service.collection('messages').countDocuments({ user: client.user });
  const list = async (query = '') => ((await client.get(`/gateway/messages?${query}`)).body as ListJson).data;
  const send = (fields: object) => client.post('/gateway/send-sms', fields);

  it('are pushed unchanged and listed with an empty message', async () => {
    const answer = await client.post('/gateway/send-bulk-sms', { messages: [ENCRYPTED, ENCRYPTED] });
    expect(answer.status).toBe(200);
    const { smsBatchId } = (answer.body as { data: { smsBatchId: string } }).data;
    const { batch, messages } = await client.batch(device, smsBatchId);
    expect(batch).toMatchObject(FACTS);
    expect(messages).toMatchObject([FACTS, FACTS]);
    expect(await list()).toMatchObject([FACTS, FACTS]);
    expect(await client.message(device, messages[0]?._id ?? '')).toMatchObject(FACTS);
    const pending = await eventually(
      async () => ((await client.get(`/gateway/devices/${device}/messages/pending`)).body as ListJson).data,
      (handed) => handed.length === 2,
    );
    expect(pending).toMatchObject([
      { ...FACTS, ...TO },
      { ...FACTS, ...TO },
    ]);
  });

  it('are on the batch only if all recipients get the same text', async () => {
    const other = { ...ENCRYPTED, encryptedMessage: 'other' };
    const batchOf = async (...messages: object[]) => {
      const answer = await client.post('/gateway/send-bulk-sms', { messages });
      const { smsBatchId } = (answer.body as { data: { smsBatchId: string } }).data;
      return (await client.batch(device, smsBatchId)).batch;
    };
    const different = await batchOf(ENCRYPTED, other);
    expect(different).toMatchObject({ message: '', encrypted: true });
    expect(different).not.toHaveProperty('encryptedMessage');
    const mixed = await batchOf(ENCRYPTED, { ...TO, message: 'plain' });
    for (const field of ['message', 'encrypted', 'encryptedMessage']) expect(mixed).not.toHaveProperty(field);
  });

  it('are in the events of sent and received messages', async () => {
    const receiver = await WebhookReceiver.start();
    const signingSecret = 'a secret of 20 characters';
    const events = ['MESSAGE_SENT', 'MESSAGE_RECEIVED'];
    await new WebhookOwner(client, { deliveryUrl: receiver.url, signingSecret, events }).create();
    const batch = await client.send(TO.recipients, { ...ENCRYPTED, message: undefined });
    const [message] = (await client.batch(device, batch)).messages;
    await client.report(device, message?._id ?? '', 'SENT');
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', ...ENCRYPTED });
    const posted = await eventually(
      () => receiver.received,
      (received) => received.length >= 2,
    );
    expect(posted.map(({ event }) => event)).toMatchObject([FACTS, FACTS]);
    await receiver.stop();
  });

  it('can be uploaded by phones, are truncated, and excluded from searches', async () => {
    const upload = (fields: object) =>
      client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', encrypted: true, ...fields });
    await upload({ encryptedMessage: SECRET, message: 'must not be stored' });
    await upload({ encryptedMessage: 'x'.repeat(5_000), receivedAtInMillis: 1767225600000 });
    await upload({ message: 'plain after all' });
    const [plain, first, late] = await list('order=desc');
    expect(plain).toMatchObject({ message: 'plain after all' });
    expect(plain).not.toHaveProperty('encrypted');
    expect(first).toMatchObject(FACTS);
    expect(late).toMatchObject({ message: '', encrypted: true, truncated: true });
    expect(String(late?.encryptedMessage)).toBe('x'.repeat(2_800));
    for (const text of [SECRET, 'kJ2m', 'must not']) {
      expect(await list(`search=${encodeURIComponent(text)}`)).toEqual([]);
    }
    expect(await service.collection('messages').countDocuments({ message: /must not/ })).toBe(0);
  });

  it('are sent only to devices with supportsEncryption', async () => {
    const other = await client.newDevice({ model: 'Other' });
    const answer = await send({ ...ENCRYPTED, deviceId: other });
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field: 'encrypted' }] }]);
    const bulk = await client.post('/gateway/send-bulk-sms', {
      messages: [{ ...TO, message: 'x' }, ENCRYPTED],
      deviceId: other,
    });
    expect(bulk.body).toMatchObject({ details: [{ field: 'messages.1.encrypted' }] });
    expect(await stored()).toBe(0);
    await client.patch(`/gateway/devices/${other}`, { supportsEncryption: true });
    expect((await send({ ...ENCRYPTED, deviceId: other })).status).toBe(200);
    await client.patch(`/gateway/devices/${other}`, { supportsEncryption: false });
    expect((await send({ ...ENCRYPTED, deviceId: other })).status).toBe(400);
  });

  it.each<[string, object, string]>([
    ['no encrypted text', { ...TO, encrypted: true }, 'encryptedMessage'],
    ['an empty one', { ...ENCRYPTED, encryptedMessage: '' }, 'encryptedMessage'],
    ['one that is too long', { ...ENCRYPTED, encryptedMessage: 'é'.repeat(1_401) }, 'encryptedMessage'],
    ['a plain text beside it', { ...ENCRYPTED, message: 'plain' }, 'message'],
    ['no flag', { ...TO, message: 'plain', encryptedMessage: SECRET }, 'encryptedMessage'],
    ['a flag that is a text', { ...ENCRYPTED, encrypted: 'yes' }, 'encrypted'],
    ['a text that is a number', { ...ENCRYPTED, encryptedMessage: 5 }, 'encryptedMessage'],
  ])('are rejected with %s', async (_, body, field) => {
    const answer = await send(body);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field }] }]);
    expect(await stored()).toBe(0);
  });

  it('fit into an FCM push at maximum length', async () => {
    expect((await send({ ...ENCRYPTED, encryptedMessage: 'x'.repeat(2_800) })).status).toBe(200);
    const entry = {
      message: '',
      encryptedMessage: 'x'.repeat(2_800),
      parts: 32,
      recipients: [`+${'1'.repeat(15)}`],
    };
    expect(dataBytes(longestSmsCommand({ ...entry, simSubscriptionId: 2_147_483_647 }))).toBeLessThan(
      MAX_DATA_BYTES,
    );
  });

  it('differ from plain texts under the same idempotency key', async () => {
    const under = (fields: object) => send(fields).set('Idempotency-Key', 'once');
    expect((await under(ENCRYPTED)).status).toBe(200);
    expect((await under(ENCRYPTED)).headers['idempotency-replayed']).toBe('true');
    expect((await under({ ...ENCRYPTED, encryptedMessage: 'other' })).body).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });
});
