import { Types } from 'mongoose';
import { buildDocument } from '../../src/openapi/openapi';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { respondWith, neverRespond, WebhookReceiver } from '../support/webhook-receiver';
import { ApiDocument } from './api-document';
import {
  ContractClient,
  NOBODY,
  provokeCommonErrors,
  provokeConcurrencyLimits,
  provokeEmailNotVerified,
} from './contract-client';
import { fieldErrors } from './field-table';
import { WEBHOOKS } from './operations';
import {
  HISTORY_META,
  SUCCESS,
  WEBHOOK_DELIVERY,
  WEBHOOK_DELIVERY_DETAIL,
  WEBHOOK_SAMPLE,
  WEBHOOK_SUBSCRIPTION,
} from './expected-fields';
import type { DeliveryJson, HistoryJson, SubscriptionJson } from './webhook-owner';

const SECRET = 'a secret of 20 characters and more';

describe('webhook operations match the API document and the expected fields', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let document: ApiDocument;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    document = new ApiDocument(buildDocument(service.app));
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice();
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  const create = (fields: object = {}) =>
    client.data<SubscriptionJson>(
      'createWebhook',
      { body: { deliveryUrl: receiver.url, signingSecret: SECRET, events: ['MESSAGE_SENT'], ...fields } },
      201,
    );

  const history = () => client.data<HistoryJson>('listWebhookNotifications');

  /** Raises an event and waits until its delivery has ended. */
  async function deliver(computedStatus: string): Promise<DeliveryJson> {
    const batch = await client.account.send(['+4915112345678']);
    const [message] = (await client.account.batch(device, batch)).messages;
    await client.account.report(device, message?._id ?? '', 'SENT').expect(200);
    const { data } = await eventually(
      history,
      ({ data: [latest] }) =>
        latest?.payload.smsId === message?._id && latest?.computedStatus === computedStatus,
    );
    const [delivery] = data;
    if (!delivery) throw new Error('There is no delivery');
    return delivery;
  }

  it('for a subscription from creation to deletion', async () => {
    const created = await create();
    const path = { webhookId: created._id };
    expect(fieldErrors(WEBHOOK_SUBSCRIPTION, created)).toEqual([]);
    expect(created).toMatchObject({
      user: client.account.user.toHexString(),
      isActive: true,
      events: ['MESSAGE_SENT'],
      deliveryUrl: receiver.url,
      signingSecret: SECRET,
      successfulDeliveryCount: 0,
      deliveryFailureCount: 0,
      deliveryAttemptCount: 0,
    });
    expect(await client.data('getWebhook', { path })).toEqual(created);
    expect(await client.data('listWebhooks')).toEqual([created]);
    const changed = await client.data<SubscriptionJson>('updateWebhook', { path, body: { name: 'Orders' } });
    expect(fieldErrors(WEBHOOK_SUBSCRIPTION, changed)).toEqual([]);
    expect(changed).toMatchObject({ name: 'Orders' });
    const removed = await client.data('deleteWebhook', { path });
    expect(removed).toEqual({ success: true });
    expect(fieldErrors(SUCCESS, removed)).toEqual([]);
    expect(await client.data('listWebhooks')).toEqual([]);
  });

  it('for a subscription and its deliveries with every field', async () => {
    const sims = (await client.account.get('/gateway/sims')).body as { data: { _id: string }[] };
    const made = await client.account.post('/gateway/pools', {
      name: 'Webhooks',
      sims: sims.data.map((sim) => sim._id),
    });
    const pool = (made.body as { data: { _id: string } }).data._id;
    const options = { headers: { 'X-Tenant': 'one' }, deviceIds: [device], poolIds: [pool] };
    const { _id } = await create({ name: 'Orders', ...options });
    const path = { webhookId: _id };
    receiver.respond = respondWith(200, 'thanks');
    const delivered = await deliver('delivered');
    receiver.respond = respondWith(503, 'busy', { 'retry-after': '3600' });
    const retrying = await deliver('retrying');
    receiver.respond = respondWith(410);
    const failed = await deliver('failed');
    const records = [delivered, retrying, failed];
    for (const record of records) expect(fieldErrors(WEBHOOK_DELIVERY, record)).toEqual([]);
    const fields = new Set(records.flatMap((record) => Object.keys(record)));
    expect([...fields].sort()).toEqual(Object.keys(WEBHOOK_DELIVERY).sort());
    expect(delivered).toMatchObject({ responseBody: 'thanks', httpStatusCode: 200 });
    expect(retrying).toMatchObject({ errorType: 'retryable', httpStatusCode: 503 });
    expect(failed).toMatchObject({ errorType: 'non-retryable', httpStatusCode: 410 });

    const subscription = await eventually(
      () => client.data<SubscriptionJson>('getWebhook', { path }),
      ({ isActive, lastDeliveryFailureAt }) => !isActive && lastDeliveryFailureAt !== undefined,
    );
    expect(fieldErrors(WEBHOOK_SUBSCRIPTION, subscription)).toEqual([]);
    expect(Object.keys(subscription).sort()).toEqual(Object.keys(WEBHOOK_SUBSCRIPTION).sort());

    const page = await history();
    expect(Object.keys(page)).toEqual(['data', 'meta']);
    expect(fieldErrors(HISTORY_META, page.meta)).toEqual([]);
    expect(page.data.map((record) => fieldErrors(WEBHOOK_DELIVERY, record))).toEqual([[], [], []]);
    expect(page.meta).toEqual({ page: 1, limit: 10, total: 3, totalPages: 1 });
    const detail = await client.data('getWebhookNotification', { path: { id: failed._id } });
    expect(fieldErrors(WEBHOOK_DELIVERY_DETAIL, detail)).toEqual([]);
  });

  it('for a redelivery and a replay', async () => {
    const { _id } = await create();
    const path = { webhookId: _id };
    receiver.respond = respondWith(400);
    const { _id: id } = await deliver('failed');
    receiver.respond = respondWith(200);
    const again = await client.data<DeliveryJson>('redeliverWebhookNotification', { path: { id } });
    expect(fieldErrors(WEBHOOK_DELIVERY, again)).toEqual([]);
    expect(again).toMatchObject({ _id: id, computedStatus: 'retrying' });
    await eventually(history, ({ data }) => data[0]?.computedStatus === 'delivered');
    const body = { from: '2026-01-01', status: 'delivered' };
    const replay = await client.data('replayWebhook', { path, body });
    expect(replay).toEqual({ scheduledCount: 1, nextCursor: null });
    await eventually(history, ({ data }) => data[0]?.deliveryAttemptCount === 3);
    expect(new Set(receiver.received.map(({ body: posted }) => posted)).size).toBe(1);

    for (const bad of [{}, { from: 'x' }, { from: '2026-01-01', to: '2026-01-01T00:00:00' }, { cursor: 'x' }])
      await client.call('replayWebhook', '400 VALIDATION_FAILED', { path, body: { ...bad } });
    await client.call('updateWebhook', '200', { path, body: { isActive: false } });
    await client.call('redeliverWebhookNotification', '400 WEBHOOK_PAUSED', { path: { id } });
    await client.call('replayWebhook', '400 WEBHOOK_PAUSED', { path, body });
    await client.call('deleteWebhook', '200', { path });
    await client.call('redeliverWebhookNotification', '400 WEBHOOK_DELETED', { path: { id } });
    await client.call('replayWebhook', '400 WEBHOOK_DELETED', { path, body });
  });

  it('for samples', async () => {
    const path = { webhookId: (await create())._id };
    receiver.respond = respondWith(200, 'thanks');
    const taken = await client.data('testWebhook', { path, body: {} });
    receiver.respond = respondWith(500);
    const refused = await client.data('testWebhook', { path, body: { event: 'MESSAGE_FAILED' } });
    for (const sample of [taken, refused]) expect(fieldErrors(WEBHOOK_SAMPLE, sample)).toEqual([]);
    expect(taken).toMatchObject({ delivered: true, responseBody: 'thanks' });
    expect(refused).toMatchObject({ delivered: false, error: 'The endpoint answered 500' });
    const body = { event: 'SMS_STATUS_UPDATED' };
    await client.call('testWebhook', '400 VALIDATION_FAILED', { path, body });
    expect((await history()).meta).toMatchObject({ total: 0 });
  });

  it('for a subscription whose encryption key is missing', async () => {
    const { _id } = await create();
    const path = { webhookId: _id };
    await service
      .collection('webhooksubscriptions')
      .updateOne({ _id: new Types.ObjectId(_id) }, { $set: { signingSecret: '00000000.AAAA' } });
    const subscription = await client.data<SubscriptionJson>('getWebhook', { path });
    expect(fieldErrors(WEBHOOK_SUBSCRIPTION, subscription)).toEqual([]);
    expect(subscription.signingSecret).toBe('');
    await client.call('testWebhook', '400 WEBHOOK_SECRET_LOST', { path });
  });

  it('for a delivery with an attempt in flight', async () => {
    await create({ events: ['MESSAGE_RECEIVED'] });
    receiver.respond = neverRespond;
    const text = { sender: 'BANK', message: 'Hello' };
    await client.account.post(`/gateway/devices/${device}/receive-sms`, text).expect(200);
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    );
    const path = { id: (await history()).data[0]?._id ?? '' };
    await client.call('redeliverWebhookNotification', '400 DELIVERY_UNDER_WAY', { path });
  });

  it('for an invalid body or filter', async () => {
    const path = { webhookId: (await create())._id };
    await client.call('createWebhook', '400 VALIDATION_FAILED', { body: {} });
    await client.call('createWebhook', '400 MALFORMED_BODY', { body: '{"name": ' });
    await client.call('createWebhook', '400 BODY_TOO_LARGE', { body: { name: 'x'.repeat(2_200_000) } });
    await client.call('updateWebhook', '400 VALIDATION_FAILED', { path, body: { events: [] } });
    await client.call('listWebhookNotifications', '400 VALIDATION_FAILED', { query: { deviceId: 'x' } });
    for (let made = 1; made < 10; made++) await create();
    const body = { deliveryUrl: receiver.url, signingSecret: SECRET, events: ['MESSAGE_SENT'] };
    await client.call('createWebhook', '400 WEBHOOK_LIMIT_REACHED', { body });
  });

  it('for records that do not exist', async () => {
    const query = { webhookSubscriptionId: client.account.user.toHexString() };
    await client.call('listWebhookNotifications', '404 WEBHOOK_NOT_FOUND', { query });
    await provokeCommonErrors(document, client, WEBHOOKS);
    const path = { webhookId: NOBODY };
    const replay = { path, body: { from: '2026-01-01' } };
    await provokeConcurrencyLimits(service, client, {
      testWebhook: { path },
      replayWebhook: replay,
      listWebhookNotifications: {},
    });
    await provokeEmailNotVerified(service, document, client, WEBHOOKS);
  });

  it('and every documented response was tested', () => {
    expect(document.unseenOf(WEBHOOKS)).toEqual([]);
  });
});
