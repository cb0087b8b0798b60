import { Types } from 'mongoose';
import { SecretReencryptionService } from '../../src/webhooks/subscriptions/secret-reencryption.service';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WEBHOOK_SECRET, WebhookOwner } from '../support/webhook-owner';
import { neverRespond, refuseForAnHour, respondWith, WebhookReceiver } from '../support/webhook-receiver';

const DAY = 24 * 3_600_000;

describe('a webhook', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
  });
  afterEach(async () => {
    service.clock.resume();
    await receiver.stop();
  });
  afterAll(() => service.stop());

  /** Without what the rollups write each minute. */
  const stored = (webhook: string) =>
    service
      .collection('webhooksubscriptions')
      .findOne({ _id: new Types.ObjectId(webhook) }, { projection: { countedThrough: 0 } });
  const receivedTexts = () => receiver.received.map(({ event }) => event.message).sort();
  const waitFor = (count: number) =>
    eventually(
      () => receiver.received.length,
      (received) => received >= count,
    );
  const newPool = async (fields: object) => {
    const answer = await owner.client.post('/gateway/pools', fields);
    expect([answer.status, answer.body]).toMatchObject([201, {}]);
    return (answer.body as { data: { _id: string } }).data._id;
  };
  const reject = async (fields: object, field: string, text: RegExp) => {
    const body = { deliveryUrl: receiver.url, signingSecret: WEBHOOK_SECRET, events: ['MESSAGE_RECEIVED'] };
    const webhook = await owner.subscribe(receiver);
    const before = await stored(webhook);
    for (const answer of [
      await owner.client.post('/webhooks', { ...body, ...fields }),
      await owner.client.patch(`/webhooks/${webhook}`, fields),
    ])
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.objectContaining({
          details: [{ field, message: expect.stringMatching(text) as string }],
        }),
      ]);
    expect(await stored(webhook)).toEqual(before);
    await owner.client.delete(`/webhooks/${webhook}`);
  };

  it('sends its own headers, also on retries, samples and redeliveries, as they are then', async () => {
    const headers = { Authorization: 'Bearer secret-value', 'X-Tenant': 'a b' };
    const webhook = await owner.subscribe(receiver, { headers });
    expect((await owner.subscription(webhook)).headers).toEqual(headers);
    expect(JSON.stringify(await stored(webhook))).not.toContain('secret-value');
    receiver.respond = refuseForAnHour();
    await owner.receive('Hello');
    await waitFor(1);
    await owner.waitForDelivery(({ deliveryAttemptCount }) => deliveryAttemptCount === 1);
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer secret-value',
      'x-tenant': 'a b',
      'content-type': 'application/json',
      'user-agent': 'messaging-gateway',
    });
    receiver.respond = respondWith(200);
    await owner.client.patch(`/webhooks/${webhook}`, { headers: { 'X-New': '1' } }).expect(200);
    const [delivery] = await owner.deliveries();
    await owner.client.post(`/webhooks/notifications/${delivery?._id ?? ''}/redeliver`).expect(200);
    await waitFor(2);
    await owner.client.post(`/webhooks/${webhook}/test`, {}).expect(200);
    for (const { headers: sent } of receiver.received.slice(1)) {
      expect(sent).toMatchObject({ 'x-new': '1' });
      expect(sent).not.toHaveProperty('authorization');
    }
    expect(receiver.received.length).toBeGreaterThanOrEqual(3);

    for (const none of [null, {}]) {
      await owner.client.patch(`/webhooks/${webhook}`, { headers: { 'X-New': '1' } }).expect(200);
      await owner.client.patch(`/webhooks/${webhook}`, { headers: none }).expect(200);
      expect(await owner.subscription(webhook)).not.toHaveProperty('headers');
    }
    await owner.client.patch(`/webhooks/${webhook}`, { headers, name: 'kept' }).expect(200);
    await owner.client.patch(`/webhooks/${webhook}`, { name: 'other' }).expect(200);
    expect((await owner.subscription(webhook)).headers).toEqual(headers);
    await owner.client.delete(`/webhooks/${webhook}`).expect(200);
    expect(await stored(webhook)).not.toHaveProperty('headers');
  });

  it('rejects headers that cannot be sent, by name', async () => {
    await reject({ headers: { 'Content-Type': 'text/plain' } }, 'headers', /Content-Type, which the service/);
    await reject({ headers: { 'X-A': 'a\r\nb: c' } }, 'headers', /X-A/);
    await reject({ headers: { 'X-A': 1 } }, 'headers', /X-A/);
    await reject({ headers: { 'X-A': {} } }, 'headers', /X-A/);
    await reject({ headers: 'X-A: b' }, 'headers', /must be an object/);
    await reject({ headers: ['X-A: b'] }, 'headers', /must be an object/);
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`X-${index}`, 'x']));
    await reject({ headers: many }, 'headers', /more than 10/);
  });

  it('re-encrypts headers with a new key', async () => {
    const webhook = await owner.subscribe(receiver, { headers: { 'X-A': 'b' } });
    const before = (await stored(webhook)) as unknown as { headers: { value: string }[] };
    const [{ value } = { value: '' }] = before.headers;
    expect(value).not.toBe('');
    expect(await service.get(SecretReencryptionService).rotate()).toBe(0);
    const foreign = [{ name: 'X-A', value: `00000000.${value.split('.')[1] ?? ''}` }];
    const _id = new Types.ObjectId(webhook);
    await service.collection('webhooksubscriptions').updateOne({ _id }, { $set: { headers: foreign } });
    await expect(service.get(SecretReencryptionService).rotate()).rejects.toThrow('00000000');
    expect((await owner.subscription(webhook)).headers).toEqual({ 'X-A': '' });
    const sample = await owner.client.post(`/webhooks/${webhook}/test`, {});
    expect([sample.status, sample.body]).toMatchObject([400, { code: 'WEBHOOK_SECRET_LOST' }]);
    await owner.client.delete(`/webhooks/${webhook}`).expect(200);
  });

  it('has a time limit between 1 and 30 seconds', async () => {
    const webhook = await owner.subscribe(receiver, { timeoutSeconds: 1 });
    receiver.respond = neverRespond;
    const answer = await owner.client.post(`/webhooks/${webhook}/test`, {});
    expect(answer.body).toMatchObject({
      data: { delivered: false, error: expect.stringContaining('in time') as string },
    });
    await owner.client.patch(`/webhooks/${webhook}`, { timeoutSeconds: 30 }).expect(200);
    expect(await owner.subscription(webhook)).toMatchObject({ timeoutSeconds: 30 });
    // The claim outlasts the attempt.
    service.clock.stop();
    await owner.receive('Hello');
    await waitFor(2);
    const delivery = await service.collection('webhookdeliveries').findOne({ user: owner.client.user });
    const claimedUntil = (delivery?.claimedUntil as Date | undefined)?.getTime() ?? 0;
    expect(claimedUntil - service.clock.now().getTime()).toBe(45_000);
    await owner.client.patch(`/webhooks/${webhook}`, { timeoutSeconds: null }).expect(200);
    expect(await owner.subscription(webhook)).toMatchObject({ timeoutSeconds: 15 });
    for (const timeoutSeconds of [0, 31, 1.5, '5', -1])
      await reject({ timeoutSeconds }, 'timeoutSeconds', /timeoutSeconds/);
  });

  it('gets the events of its devices only', async () => {
    const [one, other] = [owner.device, await owner.client.newDevice()];
    const webhook = await owner.subscribe(receiver, {
      deviceIds: [one, one],
    });
    const everything = await owner.subscribe(receiver);
    expect((await owner.subscription(webhook)).deviceIds).toEqual([one]);
    for (const device of [one, other])
      await owner.client
        .post(`/gateway/devices/${device}/receive-sms`, { sender: '+4915112345678', message: device })
        .expect(200);
    const byWebhook = () =>
      receiver.received.map(({ event }) => [event.webhookSubscriptionId, event.deviceId] as const);
    await waitFor(3);
    expect(new Set(byWebhook())).toEqual(
      new Set([
        [webhook, one],
        [everything, one],
        [everything, other],
      ]),
    );
    expect(receiver.received).toHaveLength(3);
    await owner.client.patch(`/webhooks/${webhook}`, { deviceIds: null }).expect(200);
    expect(await owner.subscription(webhook)).not.toHaveProperty('deviceIds');
  });

  it('gets the events of its pools only', async () => {
    const register = (subscriptionId: number) =>
      owner.client.newDevice({
        simInfo: { sims: [{ subscriptionId }, { subscriptionId: subscriptionId + 1 }] },
      });
    const [phone, other] = [await register(1), await register(3)];
    const listed = await owner.client.get('/gateway/sims');
    const sims = (listed.body as { data: { _id: string; subscriptionId?: number }[] }).data;
    const sim = sims.find(({ subscriptionId }) => subscriptionId === 1)?._id;
    const pool = await newPool({ name: 'Shop', sims: [sim] });
    const webhook = await owner.subscribe(receiver, { poolIds: [pool] });
    const receive = (device: string, message: string) =>
      owner.client
        .post(`/gateway/devices/${device}/receive-sms`, { sender: '+4915112345678', message })
        .expect(200);
    await receive(phone, 'by its phone');
    await receive(other, 'by another phone');
    await eventually(
      () => service.collection('messages').countDocuments({ 'outbox.0': { $exists: true } }),
      (notRelayed) => notRelayed === 0,
    );
    await owner.client.patch(`/webhooks/${webhook}`, { poolIds: null }).expect(200);
    await receive(other, 'the end');
    await eventually(receivedTexts, (texts) => texts.includes('the end'));
    expect(receivedTexts()).toEqual(['by its phone', 'the end']);
  });

  it('rejects filters that name nothing of the account', async () => {
    const foreign = (await WebhookOwner.create(service)).device;
    const deleted = await owner.client.newDevice();
    await owner.client.delete(`/gateway/devices/${deleted}`).expect(200);
    for (const id of [foreign, deleted, String(new Types.ObjectId())]) {
      await reject({ deviceIds: [owner.device, id] }, 'deviceIds', new RegExp(id));
      await reject({ poolIds: [id] }, 'poolIds', new RegExp(id));
    }
    await reject({ deviceIds: [] }, 'deviceIds', /at least one id/);
    await reject({ poolIds: [] }, 'poolIds', /at least one id/);
    await reject({ deviceIds: ['x'] }, 'deviceIds', /valid ids/);
    await reject({ deviceIds: owner.device }, 'deviceIds', /array/);
    await reject({ poolIds: [{ $ne: '' }] }, 'poolIds', /valid ids/);
  });

  it.each([
    ['header', /did you mean headers/],
    ['deviceId', /did you mean deviceIds/],
    ['poolID', /did you mean poolIds/],
    ['timeout', /not a field/],
    ['filter', /not a field/],
    ['filters', /not a field/],
    ['tags', /not a field/],
  ])('rejects %s instead of ignoring it', async (name, text) => {
    await reject({ [name]: 'x' }, name, text);
  });

  it('can be sent back as it was read', async () => {
    const webhook = await owner.subscribe(receiver, { headers: { 'X-A': 'b' }, deviceIds: [owner.device] });
    const read = await owner.subscription(webhook);
    const answer = await owner.client.patch(`/webhooks/${webhook}`, { ...read, name: 'changed' });
    expect([answer.status, answer.body]).toMatchObject([200, { data: { name: 'changed' } }]);
    expect((await owner.subscription(webhook)).headers).toEqual({ 'X-A': 'b' });
  });

  it('that is limited to what was deleted is a problem of the account', async () => {
    const device = await owner.client.newDevice();
    const webhook = await owner.subscribe(receiver, { deviceIds: [device] });
    const problems = async () =>
      (
        (await owner.client.get('/gateway/problems')).body as { data: { code: string; subject: object }[] }
      ).data.filter(({ code }) => code === 'webhook_filter_outdated');
    expect(await problems()).toEqual([]);
    await owner.client.delete(`/gateway/devices/${device}`).expect(200);
    expect(await problems()).toMatchObject([{ severity: 'error', subject: { id: webhook } }]);
    // It is not turned into one that gets everything.
    await owner.receive('of another phone');
    await eventually(
      () => service.collection('messages').countDocuments({ 'outbox.0': { $exists: true } }),
      (count) => count === 0,
    );
    await owner.client.patch(`/webhooks/${webhook}`, { deviceIds: [owner.device] }).expect(200);
    expect(await problems()).toEqual([]);
    await owner.receive('after');
    await eventually(receivedTexts, (texts) => texts.includes('after'));
    expect(receivedTexts()).toEqual(['after']);
  });

  describe('that is paused', () => {
    const replay = async (webhook: string, from: string) => {
      const answer = await owner.client.post(`/webhooks/${webhook}/replay`, { from });
      expect([answer.status, answer.body]).toMatchObject([200, {}]);
      return (answer.body as { data: { scheduledCount: number } }).data.scheduledCount;
    };
    const waitUntilFailed = (count: number) =>
      eventually(
        () => owner.deliveries('&status=failed'),
        (found) => found.length === count,
      );

    it('gets the events of the pause by a replay', async () => {
      const webhook = await owner.subscribe(receiver, { events: ['MESSAGE_RECEIVED'] });
      const from = service.clock.now().toISOString();
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      await owner.receive('first');
      await owner.receive('second');
      const failed = await waitUntilFailed(2);
      expect(failed.map((found) => found.deliveryAttemptCount)).toEqual([0, 0]);
      expect(receiver.received).toEqual([]);
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: true }).expect(200);
      expect(receiver.received).toEqual([]);
      expect(await replay(webhook, from)).toBe(2);
      await waitFor(2);
      expect(receivedTexts()).toEqual(['first', 'second']);
      const counts = await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 2);
      expect(counts).toMatchObject({ deliveryFailureCount: 0, deliveryAttemptCount: 2 });
    });

    it('since its creation gets them too', async () => {
      const webhook = await owner.subscribe(receiver, { isActive: false });
      await owner.receive('early');
      await waitUntilFailed(1);
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: true }).expect(200);
      expect(await replay(webhook, '2020-01-01')).toBe(1);
      await waitFor(1);
    });

    it('for more than 30 days gets no more', async () => {
      const webhook = await owner.subscribe(receiver);
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      const paused = (await stored(webhook))?.pausedAt as Date;
      // Pausing it again does not extend the time.
      service.clock.advance(29 * DAY);
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      expect((await stored(webhook))?.pausedAt).toEqual(paused);
      await owner.receive('kept');
      await waitUntilFailed(1);
      service.clock.advance(2 * DAY);
      const active = await owner.subscribe(receiver);
      await owner.receive('not kept');
      await eventually(receivedTexts, (texts) => texts.includes('not kept'));
      expect(await owner.deliveries(`&webhookSubscriptionId=${webhook}`)).toHaveLength(1);
      await owner.client.delete(`/webhooks/${active}`).expect(200);
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: true }).expect(200);
      expect(await stored(webhook)).not.toHaveProperty('pausedAt');
    });
  });
});
