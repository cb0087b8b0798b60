import type { ServerResponse } from 'node:http';
import Redis from 'ioredis';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import { RedeliveryRepository } from '../../src/webhooks/redelivery/redelivery.repository';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';
import { WebhookOwner } from '../support/webhook-owner';

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

const upload = (client: TestClient, device: string, message: string, url = client.url) =>
  client.at(url).post(`/gateway/devices/${device}/receive-sms`, { sender: '+4915112345678', message });

describe('rate limits of phones', () => {
  const started: TestService[] = [];
  const start = async (environment: Record<string, string>, shared?: TestService) => {
    const service = await TestService.start({ environment, shared });
    started.unshift(service);
    return service;
  };
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });

  it('refuse a phone in a retry loop, and no other phone', async () => {
    const service = await start({ MAX_PHONE_REQUESTS_PER_MINUTE: '3' });
    const client = await service.newAccount();
    const [runaway, calm] = [await client.registerDevice(), await client.registerDevice()];
    const heartbeat = (device: string) => client.post(`/gateway/devices/${device}/heartbeat`);
    for (const answer of [
      await heartbeat(runaway),
      await upload(client, runaway, 'Hi'),
      await client.post(`/gateway/devices/${runaway}/messages/ack`, { smsIds: ['0'.repeat(24)] }),
    ])
      expect(answer.status).toBe(200);
    const refused: Answer = await heartbeat(runaway.toUpperCase());
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      code: 'RATE_LIMITED',
      error: expect.stringContaining('3') as string,
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await upload(client, runaway, 'Ho')).status).toBe(429);
    expect((await heartbeat(calm)).status).toBe(200);
    await client.get('/gateway/stats').expect(200);
  });

  it('limit requests with unknown device ids per account', async () => {
    const service = await start({ MAX_PHONE_REQUESTS_PER_MINUTE: '1' });
    const [client, other] = [await service.newAccount(), await service.newAccount()];
    const device = await other.registerDevice();
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++) {
      const id = i.toString(16).padStart(24, '0');
      statuses.push((await client.post(`/gateway/devices/${id}/heartbeat`)).status);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(404), ...Array<number>(5).fill(429)]);
    await other.post(`/gateway/devices/${device}/heartbeat`).expect(200);
  });

  it('keep a runaway app from filling the disk: refused uploads are stored later, and none is lost', async () => {
    const environment = { MAX_RECEIVED_MESSAGES_PER_PHONE_DAY: '3' };
    const service = await start(environment);
    const other = await start(environment, service);
    const client = await service.newAccount();
    const [device, calm] = [await client.newDevice(), await client.newDevice()];
    const at = { receivedAtInMillis: service.clock.now().getTime() };
    const send = (message: string, url = service.url) =>
      client.at(url).post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', message, ...at });
    // A repeated upload is stored once and counts once.
    for (const [text, url] of [
      ['one', service.url],
      ['one', other.url],
      ['two', other.url],
      ['three', service.url],
    ] as const)
      expect((await send(text, url)).status).toBe(200);
    for (const url of [service.url, other.url]) {
      const refused: Answer = await send('four', url);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ code: 'RECEPTION_LIMITED' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    }
    const stored = () => service.collection('messages').countDocuments({ user: client.user });
    expect(await stored()).toBe(3);
    expect((await upload(client, calm, 'Hi')).status).toBe(200);

    const redis = new Redis(service.environment.REDIS_URL ?? '');
    const prefix = `${service.environment.REDIS_PREFIX ?? ''}:received:phone`;
    const counters = await redis.keys(`${prefix}:*`);
    for (const counter of counters) expect(await redis.pttl(counter)).toBeGreaterThan(23 * 3_600_000);
    await redis.del(counters); // as Redis does after 24 hours
    await redis.quit();
    expect((await send('four')).status).toBe(200);
    expect(await stored()).toBe(5);
  });
});

describe('concurrency limits of accounts', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let stranger: WebhookOwner;
  const waiting: ServerResponse[] = [];
  const releases: (() => void)[] = [];

  beforeAll(async () => {
    receiver = await WebhookReceiver.start((_, response) => waiting.push(response));
    service = await TestService.start({
      environment: {
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        MAX_STREAMS_PER_ACCOUNT: '2',
        MAX_WEBHOOK_TESTS_PER_ACCOUNT: '2',
        MAX_SEARCHES_PER_ACCOUNT: '2',
        MAX_REPLAYS_PER_ACCOUNT: '2',
      },
    });
    owner = await WebhookOwner.create(service);
    stranger = await WebhookOwner.create(service);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const release of releases.splice(0)) release();
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  /** Holds calls of a method until the end of the test. */
  function holdCalls<T extends object>(target: T, method: keyof T & string): { started: number } {
    const calls = { started: 0 };
    const methods = target as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const original = methods[method]?.bind(target);
    if (!original) throw new Error(`There is no ${method}`);
    jest.spyOn(methods, method).mockImplementation(async (...args) => {
      calls.started += 1;
      await new Promise<void>((resolve) => releases.push(resolve));
      return original(...args);
    });
    return calls;
  }

  const begin = (call: PromiseLike<Answer>) => call.then((answer) => answer);
  const expectRefused = ({ status, body, headers }: Answer, variable: string) => {
    expect(status).toBe(429);
    expect(body).toMatchObject({ code: 'CONCURRENCY_LIMITED' });
    expect((body as { error: string }).error).toContain(variable);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  };

  it('apply to webhook tests', async () => {
    const test = async (of: WebhookOwner) => `/webhooks/${await of.subscribe(receiver)}/test`;
    const [path, theirs] = [await test(owner), await test(stranger)];
    const running = [1, 2].map(() => begin(owner.client.post(path)));
    await eventually(
      () => receiver.openRequests,
      (count) => count === 2,
    );
    expectRefused(await owner.client.post(path), 'MAX_WEBHOOK_TESTS_PER_ACCOUNT');
    const other = begin(stranger.client.post(theirs));
    await eventually(
      () => receiver.openRequests,
      (count) => count === 3,
    );
    for (const response of waiting.splice(0)) response.writeHead(204).end();
    receiver.respond = respondWith(204);
    await Promise.all([...running, other]);
    expect((await owner.client.post(path)).status).toBe(200);
  });

  it('apply to searches, and not to other lists', async () => {
    const held = holdCalls(service.get(MessageListRepository), 'list');
    const search = (client: TestClient) => client.get('/gateway/messages?search=hello');
    const running = [1, 2].map(() => begin(search(owner.client)));
    await eventually(
      () => held.started,
      (count) => count === 2,
    );
    expectRefused(await search(owner.client), 'MAX_SEARCHES_PER_ACCOUNT');
    const others = [begin(search(stranger.client)), begin(owner.client.get('/gateway/messages'))];
    await eventually(
      () => held.started,
      (count) => count === 4,
    );
    jest.restoreAllMocks();
    for (const release of releases.splice(0)) release();
    for (const answer of await Promise.all([...running, ...others])) expect(answer.status).toBe(200);
    expect((await search(owner.client)).status).toBe(200);
  });

  it('apply to replays, and a refused request frees its slot', async () => {
    const path = `/webhooks/${await owner.subscribe(receiver)}/replay`;
    const span = { from: new Date(service.clock.now().getTime() - 3_600_000).toISOString() };
    for (let i = 0; i < 3; i++) expect((await owner.client.post(path, {})).status).toBe(400);
    const held = holdCalls(service.get(RedeliveryRepository), 'list');
    const running = [1, 2].map(() => begin(owner.client.post(path, span)));
    await eventually(
      () => held.started,
      (count) => count === 2,
    );
    expectRefused(await owner.client.post(path, span), 'MAX_REPLAYS_PER_ACCOUNT');
    jest.restoreAllMocks();
    for (const release of releases.splice(0)) release();
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
    expect((await owner.client.post(path, span)).status).toBe(200);
  });

  it('apply to streams, and a reconnecting phone reuses its slot', async () => {
    const { client } = owner;
    const [first, second, third] = [
      await client.registerDevice(),
      await client.registerDevice(),
      await client.registerDevice(),
    ];
    client.closeStream(owner.device);
    const untilOpen = (device: string) =>
      eventually(
        () => RawStream.open(client, device),
        ({ answer }) => answer.statusCode === 200,
      );
    const streams = [await untilOpen(first), await untilOpen(second)];
    const refused: Answer = await client.get(`/gateway/devices/${third}/stream`);
    expectRefused(refused, 'MAX_STREAMS_PER_ACCOUNT');
    const again = await RawStream.open(client, first);
    expect(again.answer.statusCode).toBe(200);
    const theirs = await RawStream.open(stranger.client, stranger.device);
    expect(theirs.answer.statusCode).toBe(200);
    streams[1]?.close();
    const late = await untilOpen(third);
    for (const stream of [...streams, again, theirs, late]) stream.close();
  });

  it('apply to streams that are opened at once', async () => {
    const client = await service.newAccount();
    const devices: string[] = [];
    for (let count = 0; count < 6; count++) devices.push(await client.registerDevice());
    const streams = await Promise.all(devices.map((device) => RawStream.open(client, device)));
    const statuses = streams.map(({ answer }) => answer.statusCode).sort();
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    for (const stream of streams) stream.close();
  });
});
