import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { respondWith, type ReceivedEvent, WebhookReceiver } from '../support/webhook-receiver';

const SECRET = 'a secret of 20 characters and more';
const ALL = ['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED', 'UNKNOWN_STATE'];

describe('webhook deliveries', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  async function subscribe(fields: object = {}): Promise<string> {
    const body = { deliveryUrl: receiver.url, signingSecret: SECRET, events: ALL, ...fields };
    const answer = await client.post('/webhooks', body);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  async function sendOne(): Promise<{ batch: string; sms: string }> {
    const batch = await client.send(['+4915112345678'], { message: 'Your code is 1' });
    const { messages } = await client.batch(device, batch);
    return { batch, sms: messages[0]?._id ?? '' };
  }

  const receivedCount = (count: number) =>
    eventually(
      () => receiver.received,
      (received) => received.length >= count,
    );

  const times = ['sentAt', 'deliveredAt', 'failedAt', 'receivedAt'];
  const withoutTimes = (event: ReceivedEvent) =>
    Object.fromEntries(Object.entries(event).filter(([field]) => !times.includes(field)));

  it('posts exactly the documented fields of each event', async () => {
    const webhook = await subscribe();
    const { batch, sms } = await sendOne();
    const envelope = (id: string, event: string) => ({
      smsId: id,
      message: 'Your code is 1',
      deviceId: device,
      webhookSubscriptionId: webhook,
      webhookEvent: event,
      idempotencyKey: expect.stringMatching(/.{20}/) as string,
    });
    const sent = { smsBatchId: batch, recipient: '+4915112345678' };
    await client.report(device, sms, 'DELIVERY_FAILED', { errorCode: '0' }).expect(200);
    await client.report(device, sms, 'SENT').expect(200);
    await client.report(device, sms, 'DELIVERED').expect(200);
    const other = await sendOne();
    await client.report(device, other.sms, 'FAILED', { errorCode: '2', errorMessage: 'radio' }).expect(200);
    await client
      .post(`/gateway/devices/${device}/receive-sms`, {
        sender: 'BANK',
        message: 'In',
        // Later than events are raised for.
        receivedAtInMillis: service.clock.now().getTime() - 50 * 3_600_000,
      })
      .expect(200);
    await client
      .post(`/gateway/devices/${device}/receive-sms`, { sender: 'BANK', message: 'Your code is 1' })
      .expect(200);
    const events = (await receivedCount(5)).map(({ event }) => event);
    const byName = new Map(events.map((event) => [event.webhookEvent, event]));
    expect(events).toHaveLength(5);
    const of = (name: string) => byName.get(name) ?? { smsId: '', webhookEvent: '', idempotencyKey: '' };
    expect(withoutTimes(of('UNKNOWN_STATE'))).toEqual({
      ...envelope(sms, 'UNKNOWN_STATE'),
      ...sent,
      status: 'delivery_failed',
    });
    expect(withoutTimes(of('MESSAGE_SENT'))).toEqual({
      ...envelope(sms, 'MESSAGE_SENT'),
      ...sent,
      status: 'sent',
    });
    expect(of('MESSAGE_SENT').sentAt).toMatch(/^\d{4}-.*Z$/);
    expect(withoutTimes(of('MESSAGE_DELIVERED'))).toEqual({
      ...envelope(sms, 'MESSAGE_DELIVERED'),
      ...sent,
      status: 'delivered',
    });
    expect(of('MESSAGE_DELIVERED')).toMatchObject({
      sentAt: expect.stringMatching(/Z$/) as string,
      deliveredAt: expect.stringMatching(/Z$/) as string,
    });
    expect(withoutTimes(of('MESSAGE_FAILED'))).toEqual({
      ...envelope(other.sms, 'MESSAGE_FAILED'),
      ...sent,
      smsBatchId: other.batch,
      status: 'failed',
      errorCode: '2',
      errorMessage: expect.stringContaining('radio is off') as string,
    });
    expect(withoutTimes(of('MESSAGE_RECEIVED'))).toEqual({
      ...envelope(of('MESSAGE_RECEIVED').smsId, 'MESSAGE_RECEIVED'),
      sender: 'BANK',
    });
    expect(of('MESSAGE_RECEIVED').receivedAt).toMatch(/Z$/);
    expect(new Set(events.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(5);
  });

  it('signs the exact bytes with both signatures', async () => {
    await subscribe({ signingSecret: 'ünïcödé secret of many characters' });
    const { sms } = await sendOne();
    await client.report(device, sms, 'SENT').expect(200);
    const [delivery] = await receivedCount(1);
    if (!delivery) throw new Error('nothing came');
    const { headers, body, event } = delivery;
    const hex = createHmac('sha256', 'ünïcödé secret of many characters').update(body).digest('hex');
    expect(headers['x-signature']).toBe(hex);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'idempotency-key': event.idempotencyKey,
      'webhook-id': event.idempotencyKey,
    });
    const verifier = new Webhook(Buffer.from('ünïcödé secret of many characters'), { format: 'raw' });
    expect(verifier.verify(body, headers as Record<string, string>)).toEqual(event);
  });

  it('stores every field of a successful delivery', async () => {
    receiver.respond = respondWith(201, 'x'.repeat(2_000));
    const webhook = await subscribe();
    const { sms } = await sendOne();
    await client.report(device, sms, 'SENT').expect(200);
    const [delivery] = await receivedCount(1);
    const record = await eventually(
      async () => (await client.get('/webhooks/notifications')).body as { data: { data: object[] } },
      ({ data }) => JSON.stringify(data).includes('"delivered"'),
    );
    expect(record).toEqual({
      data: {
        data: [
          {
            _id: expect.any(String) as string,
            webhookSubscription: webhook,
            event: 'MESSAGE_SENT',
            payload: delivery?.event,
            computedStatus: 'delivered',
            deliveryUrl: receiver.url,
            deliveryAttemptCount: 1,
            deliveredAt: expect.any(String) as string,
            lastDeliveryAttemptAt: expect.any(String) as string,
            lastAttemptDurationMs: expect.any(Number) as number,
            httpStatusCode: 201,
            responseBody: 'x'.repeat(1_000),
            idempotencyKey: delivery?.event.idempotencyKey,
            createdAt: expect.any(String) as string,
            deviceData: { _id: delivery?.event.deviceId, brand: 'google', model: 'Pixel 8' },
            smsData: {
              _id: sms,
              smsBatch: expect.any(String) as string,
              recipient: '+4915112345678',
              status: 'sent',
            },
          },
        ],
        meta: { page: 1, limit: 10, total: 1, totalPages: 1 },
      },
    });
    const subscription = await eventually(
      async () => (await client.get(`/webhooks/${webhook}`)).body as { data: Record<string, unknown> },
      ({ data }) => data.deliveryAttemptCount === 1 && data.lastDeliverySuccessAt !== undefined,
    );
    expect(subscription.data).toMatchObject({
      successfulDeliveryCount: 1,
      deliveryFailureCount: 0,
      lastDeliveryAttemptAt: expect.any(String) as string,
      lastDeliverySuccessAt: expect.any(String) as string,
    });
  });
});
