import { request } from 'node:http';
import { Types } from 'mongoose';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { TestClient } from '../support/client';
import { TestService } from '../support/service';

interface BatchAnswer {
  readonly data: {
    readonly batch: {
      readonly status: string;
      readonly recipientCount: number;
      readonly successCount: number;
    };
    readonly messages: readonly {
      readonly _id: string;
      readonly recipient: string;
      readonly message: string;
    }[];
  };
}

const RECIPIENTS = Array.from({ length: 350 }, (_, index) => `+49151${String(10_000_000 + index)}`);

describe('responses that are too large for the memory', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api', MAX_DEVICES_PER_ACCOUNT: '3' },
    });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const messages = () => service.collection('messages');

  it('streams a large batch in the format and order of a small one', async () => {
    const batch = await client.send(RECIPIENTS);
    await messages().updateMany(
      { recipient: RECIPIENTS[3] },
      { $set: { status: 'sent', countedAt: new Date() } },
    );
    const answer = await client.get(`/gateway/devices/${device}/sms-batch/${batch}`).expect(200);
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { data } = answer.body as BatchAnswer;
    expect(data.messages.map(({ recipient }) => recipient)).toEqual(RECIPIENTS);
    expect(data.batch).toMatchObject({ status: 'processing', recipientCount: 350, successCount: 1 });
    const small = await client.get(
      `/gateway/devices/${device}/sms-batch/${await client.send(RECIPIENTS.slice(0, 2))}`,
    );
    expect(Object.keys((small.body as BatchAnswer).data).sort()).toEqual(Object.keys(data).sort());
    expect(Object.keys((small.body as BatchAnswer).data.batch).sort()).toEqual(
      Object.keys(data.batch).sort(),
    );
  });

  it('responds with 404 for a batch whose messages were removed', async () => {
    const batch = await client.send(RECIPIENTS);
    await messages().deleteMany({ smsBatch: new Types.ObjectId(batch) });
    const answer = await client.get(`/gateway/devices/${device}/sms-batch/${batch}`);
    expect([answer.status, answer.body]).toMatchObject([404, { code: 'BATCH_NOT_FOUND' }]);
  });

  it('closes the connection when a stream fails', async () => {
    const batch = await client.send(RECIPIENTS);
    const repository = service.get(MessagesRepository);
    const list = repository.listByBatch.bind(repository);
    jest.spyOn(repository, 'listByBatch').mockImplementation((account, id, after, limit) => {
      if (after) return Promise.reject(new Error('the database is gone'));
      return list(account, id, after, limit);
    });
    const ended = await new Promise<string>((resolve, reject) => {
      const path = `/api/v1/gateway/devices/${device}/sms-batch/${batch}`;
      const call = request(`${service.url}${path}`, { headers: { 'x-api-key': client.apiKey } }, (answer) => {
        answer.resume();
        answer.once('end', () => {
          resolve(answer.complete ? 'complete' : 'cut');
        });
        answer.once('error', () => {
          resolve('cut');
        });
      });
      call.once('error', reject);
      call.end();
    });
    expect(ended).toBe('cut');
  });

  it('returns a complete page of large texts in order, and truncates larger texts of an earlier version', async () => {
    const sent = await client.send(['+4915112345678', '+4915112345679', '+4915112345670']);
    const [first, second] = await messages()
      .find({ smsBatch: new Types.ObjectId(sent) })
      .toArray();
    await messages().updateOne({ _id: first?._id }, { $set: { message: '\u{1F600}'.repeat(10_000) } });
    await messages().updateOne({ _id: second?._id }, { $set: { message: 'x'.repeat(1_900_000) } });
    for (const path of ['/gateway/messages', `/gateway/devices/${device}/messages`]) {
      const answer = await client.get(`${path}?limit=2`).expect(200);
      const { data, meta } = answer.body as { data: { _id: string }[]; meta: { total: number } };
      expect([data.length, meta.total]).toEqual([2, 3]);
      const all = (await client.get(path).expect(200)).body as {
        data: { _id: string; message: string; truncated?: boolean }[];
      };
      expect(all.data.map(({ _id }) => _id)).toEqual(
        all.data
          .map(({ _id }) => _id)
          .sort()
          .reverse(),
      );
      const byId = new Map(all.data.map((message) => [message._id, message]));
      expect(byId.get(String(first?._id))?.message).toBe('\u{1F600}'.repeat(10_000));
      expect(byId.get(String(second?._id))).toMatchObject({ message: 'x'.repeat(10_000), truncated: true });
    }
    const one = await client.get(`/gateway/devices/${device}/sms/${String(second?._id)}`).expect(200);
    expect((one.body as { data: { message: string } }).data.message).toHaveLength(10_000);
  });

  it('streams a complete page of the delivery history with large bodies in order', async () => {
    const [message, webhookSubscription] = [new Types.ObjectId(), new Types.ObjectId()];
    const texts = ['small', 'x'.repeat(20_000), 'y'.repeat(100_000), 'z'.repeat(500_000), 'small too'];
    const stored = texts.map((text, index) => ({
      _id: new Types.ObjectId(),
      user: client.user,
      webhookSubscription,
      event: 'MESSAGE_RECEIVED',
      computedStatus: 'delivered',
      deliveryAttemptCount: 1,
      createdAt: new Date(1_700_000_000_000 + index),
      message,
      device: new Types.ObjectId(device),
      reportedStatus: String(index),
      body: JSON.stringify({ message: text, sender: '+4915112345678' }),
      attempts: [],
      redeliveryCount: 0,
    }));
    await service.collection('webhookdeliveries').insertMany(stored);
    const answer = await client.get('/webhooks/notifications?limit=5').expect(200);
    expect(answer.headers).not.toHaveProperty('content-length');
    const { data: page } = answer.body as {
      data: { data: { _id: string; payload: { message?: string }; deviceData: object }[]; meta: object };
    };
    expect(page.meta).toEqual({ page: 1, limit: 5, total: 5, totalPages: 1 });
    expect(page.data.map(({ _id }) => _id)).toEqual(stored.map(({ _id }) => String(_id)).reverse());
    // The fourth body exceeds the current limit and is omitted.
    const bodies = texts.map((text, index) => (index === 3 ? undefined : text)).reverse();
    expect(page.data.map(({ payload }) => payload.message)).toEqual(bodies);
    for (const { deviceData } of page.data) expect(deviceData).toMatchObject({ _id: device });
    const small = await client.get('/webhooks/notifications?limit=1').expect(200);
    expect(small.headers).toHaveProperty('content-length');
    const [first] = (small.body as { data: { data: object[] } }).data.data;
    expect(first).toEqual(page.data[0]);
  });

  it('enforces the device limit on concurrent registrations', async () => {
    const register = (serial: string) =>
      client.post('/gateway/devices', { brand: 'a', model: serial, serial, buildId: serial });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => register(`serial ${index}`)));
    const refused = answers.filter(({ status }) => status === 400);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(refused.map(({ body }) => (body as { code: string }).code)).toEqual(
      Array.from({ length: 4 }, () => 'DEVICE_LIMIT_REACHED'),
    );
    const known = answers.findIndex(({ status }) => status === 201);
    await register(`serial ${known}`).expect(201);
  });
});
