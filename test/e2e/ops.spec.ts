import { getQueueToken } from '@nestjs/bull';
import type { JobOptions, Queue } from 'bull';
import request from 'supertest';
import { DISPATCH_QUEUE } from '../../src/gateway/waves/dispatch.queue';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { VERSION } from '../../src/common/version';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import { VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { METRICS_TOKEN, Scrape } from '../support/scrape';
import { fastestRunMs } from '../support/fastest-run';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { WebhookReceiver } from '../support/webhook-receiver';

const QUEUE_PAGE_PASSWORD = 'a password of the operator';

const ready = async (service: TestService) => {
  const answer = await request(service.url).get('/health/ready');
  return { status: answer.status, body: answer.body as Record<string, string> };
};

describe('health', () => {
  let redis: TcpProxy;
  let mongo: TcpProxy;
  let service: TestService;

  beforeAll(async () => {
    const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
    [redis, mongo] = [await TcpProxy.to(REDIS_URL), await TcpProxy.to(MONGODB_URI)];
    service = await TestService.start({
      environment: { REDIS_URL: redis.via(REDIS_URL), MONGODB_URI: mongo.via(MONGODB_URI) },
    });
  });
  afterAll(async () => {
    redis.restore();
    mongo.restore();
    await service.stop();
    await Promise.all([redis.close(), mongo.close()]);
  });

  const whenReady = () =>
    eventually(
      () => ready(service),
      ({ status }) => status === 200,
    );

  it('reports ok while all components are up', async () => {
    expect((await whenReady()).body).toEqual({
      status: 'ok',
      version: VERSION,
      database: 'ok',
      redis: 'ok',
      queues: 'ok',
      push: 'streams only: FIREBASE_PROJECT_ID, FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY are not set',
    });
  });

  it.each([
    ['database', 'cut'],
    ['database', 'freeze'],
    ['redis', 'cut'],
    ['redis', 'freeze'],
  ] as const)(
    'responds with 503 within a second while the %s is unavailable (%s), and stays live',
    async (part, how) => {
      await whenReady();
      const proxy = part === 'database' ? mongo : redis;
      proxy[how]();
      const { body } = await eventually(
        () => ready(service),
        ({ status, body: { database, queues } }) =>
          status === 503 && (part === 'redis' ? database : queues) === 'ok',
      );
      expect(body[part]).toMatch(/does not answer/);
      expect(body).toMatchObject({ status: 'unavailable' });
      if (part === 'redis') expect(body.queues).toMatch(/Redis/);
      expect(await fastestRunMs(3, () => ready(service))).toBeLessThan(2_500);
      const live = await request(service.url).get('/health/live');
      expect([live.status, live.body]).toEqual([200, { status: 'ok' }]);
      proxy.restore();
      await whenReady();
    },
  );
});

describe('a process without workers', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api', METRICS_TOKEN } });
  });
  afterAll(() => service.stop());

  it('reports the queue whose oldest job has waited too long', async () => {
    await eventually(
      () => ready(service),
      ({ status }) => status === 200,
    );
    const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
    // Missing in Bull's types.
    const waitingFor = (seconds: number): JobOptions & { timestamp: number } => ({
      timestamp: Date.now() - seconds * 1_000,
    });
    for (const seconds of [90, 10]) await queue.add({ batch: 'x', wave: 0 }, waitingFor(seconds));
    // Either is told as not answering if it takes longer than a second.
    const { status, body } = await eventually(
      () => ready(service),
      ({ body: { database, queues } }) => database === 'ok' && !/^ok|Redis/.test(queues ?? ''),
    );
    expect(status).toBe(503);
    expect(body.queues).toMatch(/^dispatch: a job has waited (9|1\d)\d s for a worker$/);
  });

  it('has no metrics of shared state without the scheduler role', async () => {
    const scrape = await eventually(
      () => Scrape.of(service),
      (read) => read.value('messaging_gateway_part_up', { part: 'database' }) === 1,
    );
    expect(scrape.value('messaging_gateway_part_up', { part: 'queues' })).toBe(0);
    expect(scrape.names.filter((name) => /queue_jobs|devices|messages_open/.test(name))).toEqual([]);
  });
});

describe('metrics', () => {
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    service = await TestService.start({
      environment: { METRICS_TOKEN, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
    });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  it('are served with the token', async () => {
    const read = (token?: string) => {
      const call = request(service.url).get('/metrics');
      return token === undefined ? call : call.set('authorization', `Bearer ${token}`);
    };
    expect((await read()).body).toEqual({ error: 'Unauthorized', code: 'AUTH_INVALID' });
    expect((await read(`${METRICS_TOKEN}x`)).status).toBe(401);
    const answer = await read(METRICS_TOKEN);
    expect(answer.status).toBe(200);
    expect(answer.get('content-type')).toContain('text/plain');
    expect(answer.text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('do not exist without METRICS_TOKEN, nor does the queue page without its password', async () => {
    const other = await TestService.start({ shared: service });
    for (const path of ['/metrics', '/admin/queues', '/api/v1/metrics', '/api/v1/health/live']) {
      const answer = await request(other.url).get(path).set('authorization', 'Bearer undefined');
      expect([path, answer.status]).toEqual([path, 404]);
    }
    await other.stop();
  });

  it('count a send, its pushes, its states, and the deliveries of its events', async () => {
    const client = await service.newAccount();
    const phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    receiver.respond = ({ event }, response) => {
      // Not tried again while they are counted.
      if (event.webhookEvent === 'MESSAGE_SENT') response.writeHead(500, { 'retry-after': '600' }).end();
      else response.writeHead(200).end();
    };
    await client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: 'a secret of 20 characters and more',
      events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'],
    });
    const before = await Scrape.of(service);
    const batch = await client.send(['+4915112345678', '+4915187654321']);
    await eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) => messages.every(({ status }) => status === 'delivered'),
    );
    const ended = { status: 'delivered' };
    const deliveries = (scrape: Scrape) => scrape.value('messaging_gateway_webhook_deliveries_total', ended);
    const after = await eventually(
      () => Scrape.of(service),
      (scrape) =>
        deliveries(scrape) === 2 &&
        scrape.value('messaging_gateway_webhook_delivery_lag_seconds_count', {}) === 4,
    );
    const gained = (name: string, labels: Record<string, string>) =>
      after.value(`messaging_gateway_${name}`, labels) - before.value(`messaging_gateway_${name}`, labels);
    expect(
      ['pending', 'dispatched', 'delivered'].map((status) => gained('messages_total', { status })),
    ).toEqual([2, 2, 2]);
    const accepted = { transport: 'stream', command: 'sms', outcome: 'accepted' };
    expect(gained('push_results_total', accepted)).toBe(2);
    const send = { method: 'POST', route: '/api/v1/gateway/send-sms', status: '200' };
    expect(gained('http_request_duration_seconds_count', send)).toBe(1);
    const attempts = (outcome: string, answer: string) =>
      gained('webhook_attempt_duration_seconds_count', { outcome, answer });
    expect([attempts('delivered', '2xx'), attempts('retryable', '5xx')]).toEqual([2, 2]);
    expect(after.value('messaging_gateway_streams_open', {})).toBe(1);
    await phone.stop();

    const stream = await RawStream.openEvents(service.url, { 'x-api-key': client.apiKey });
    const openStreams = async () =>
      (await Scrape.of(service)).value('messaging_gateway_event_streams_open', {});
    expect(await openStreams()).toBe(1);
    stream.close();
    await eventually(openStreams, (count) => count === 0);
  });

  it('are labelled with route templates, not paths', async () => {
    const client = await service.newAccount();
    const device = await client.newDevice();
    const before = await Scrape.of(service);
    await client.get(`/gateway/devices/${device}`);
    await client.get('/gateway/devices/0123456789abcdef01234567');
    for (const path of ['/x/4711', '/DOCS/4711', '/api/v1/4711', '/4711?token=4711', '/admin/queues/4711'])
      await request(service.url).get(path);
    await request(service.url).get('/api/v1/gateway/stats');
    const after = await Scrape.of(service);
    const requests = (scrape: Scrape, route: string, status: string) =>
      scrape.value('messaging_gateway_http_request_duration_seconds_count', { method: 'GET', route, status });
    const gained = (route: string, status: string) =>
      requests(after, route, status) - requests(before, route, status);
    expect([
      gained('/api/v1/gateway/devices/:id', '200'),
      gained('/api/v1/gateway/devices/:id', '404'),
    ]).toEqual([1, 1]);
    expect(gained('/api/v1/gateway/stats', '401')).toBe(1);
    expect(gained('none', '404')).toBe(5);
    expect(after.text).not.toMatch(/="[^"]*(4711|0123456789abcdef)/); // of labels: a figure can be anything
    expect(after.text).not.toContain(device);
  });

  it('report pending work and devices by last contact', async () => {
    // In a separate process, so that nothing is cached.
    const own = await TestService.start({ environment: { METRICS_TOKEN, APP_ROLES: 'api,scheduler' } });
    own.stopTimers();
    const client = await own.newAccount();
    const hoursAgo = (hours: number) => new Date(own.clock.now().getTime() - hours * 3_600_000);
    const heard = { now: hoursAgo(0), lately: hoursAgo(5), 'long ago': hoursAgo(30), never: undefined };
    for (const [name, lastHeartbeat] of Object.entries(heard)) {
      if (name === 'lately' || name === 'long ago') await client.registerDevice({ name });
      else await client.newDevice({ name });
      const change = lastHeartbeat
        ? { $set: { lastHeartbeat, lastContactAt: lastHeartbeat } }
        : { $unset: { lastHeartbeat: 1 } };
      await own.collection('devices').updateOne({ name }, change);
    }
    const off = await client.newDevice({ name: 'off' });
    await client.patch(`/gateway/devices/${off}`, { enabled: false });
    await client.send(['+4915112345678']);
    await own
      .collection('messages')
      .updateMany({}, { $set: { nextDispatchAt: hoursAgo(2), waitingFor: { reason: 'phone_unreachable' } } });
    await own.get(PhonesScheduler).checkConnections();
    await own.get(OperationalEventsScheduler).sweep();
    const scrape = await eventually(
      () => Scrape.of(own),
      // Absent while the database or Redis is slow.
      ({ names }) =>
        ['overdue_seconds', 'messages_waiting', 'queue_jobs'].every((name) =>
          names.includes(`messaging_gateway_${name}`),
        ),
    );
    const value = (name: string, labels: Record<string, string>) =>
      scrape.value(`messaging_gateway_${name}`, labels);
    const phones = ['hour', 'day', 'earlier', 'never'].map((when) => value('devices', { heard: when }));
    expect(phones).toEqual([1, 1, 1, 1]);
    const connections = ['online', 'unresponsive', 'offline'].map((state) =>
      value('device_connections', { state }),
    );
    expect(connections).toEqual([2, 0, 2]);
    expect(value('messages_open', { status: 'pending' })).toBe(1);
    const waiting = ['phone_unreachable', 'quiet_hours'].map((reason) =>
      value('messages_waiting', { reason }),
    );
    expect(waiting).toEqual([1, 0]);
    expect(value('overdue_seconds', { work: 'dispatch' })).toBeGreaterThanOrEqual(7_200);
    expect(value('overdue_seconds', { work: 'relay' })).toBe(0);
    expect(value('queue_jobs', { queue: 'dispatch', state: 'waiting' })).toBeGreaterThanOrEqual(1);
    expect(value('queue_oldest_seconds', { queue: 'dispatch' })).toBeGreaterThan(0);
    await own.stop();
  });
});

describe('a process without the api role', () => {
  it('serves health, metrics and the queue page only', async () => {
    const service = await TestService.start({
      environment: { APP_ROLES: 'worker,scheduler', METRICS_TOKEN, QUEUE_PAGE_PASSWORD },
    });
    expect((await request(service.url).get('/health/live')).status).toBe(200);
    await eventually(
      () => ready(service),
      ({ status }) => status === 200,
    );
    await eventually(
      () => Scrape.of(service),
      ({ names }) => names.includes('messaging_gateway_queue_jobs'),
    );
    const client = await service.newAccount();
    const api = await client.get('/gateway/stats');
    expect([api.status, api.body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
    expect((await request(service.url).get('/docs')).status).toBe(404);
    expect((await request(service.url).get('/')).status).toBe(404);
    await service.stop();
  });
});

describe('the queue page', () => {
  let redis: TcpProxy;
  let service: TestService;

  beforeAll(async () => {
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    service = await TestService.start({
      environment: { QUEUE_PAGE_PASSWORD, REDIS_URL: redis.via(REDIS_URL), TRUST_PROXY: '1' },
    });
  });
  afterAll(async () => {
    redis.restore();
    await service.stop();
    await redis.close();
  });

  const get = (path: string, password?: string, address = '203.0.113.1') => {
    const call = request(service.url).get(`/admin/queues${path}`).set('x-forwarded-for', address);
    return password === undefined ? call : call.auth('operator', password);
  };

  it('requires the password and shows the queues', async () => {
    const unauthenticated = await get('');
    expect(unauthenticated.status).toBe(401);
    expect(unauthenticated.get('www-authenticate')).toMatch(/^Basic /);
    const page = await get('/', QUEUE_PAGE_PASSWORD);
    expect([page.status, page.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.get('content-security-policy')).toContain("default-src 'self'");
    const [script = ''] = /static\/js\/main[^"]+/.exec(page.text) ?? [];
    expect((await get(`/${script}`, QUEUE_PAGE_PASSWORD)).get('content-type')).toContain('javascript');
    expect((await get(`/${script}`)).status).toBe(401);
    const listed = await get('/api/queues', QUEUE_PAGE_PASSWORD);
    const { queues } = listed.body as { queues: { name: string; readOnlyMode: boolean }[] };
    expect(queues.map(({ name }) => name).sort()).toEqual(['dispatch', 'outbox', 'webhook-delivery']);
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  });

  it('is read-only', async () => {
    const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
    await queue.add({ batch: 'x', wave: 0 }, { jobId: 'kept', delay: 600_000 });
    for (const [method, path] of [
      ['put', 'pause'],
      ['put', 'empty'],
      ['put', 'clean/delayed'],
      ['put', 'obliterate'],
      ['put', 'kept/clean'],
      ['post', 'add'],
    ] as const) {
      const answer = await request(service.url)
        [method](`/admin/queues/api/queues/dispatch/${path}`)
        .auth('operator', QUEUE_PAGE_PASSWORD)
        .send({});
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect([await queue.isPaused(), await queue.getDelayedCount()]).toEqual([false, 1]);
  });

  it('limits password attempts per address', async () => {
    const answers = [];
    for (let guess = 0; guess < 31; guess++)
      answers.push((await get('', `guess ${guess}`, '203.0.113.9')).status);
    expect(answers.slice(0, 30).every((status) => status === 401)).toBe(true);
    expect(answers[30]).toBe(429);
    expect((await get('/', QUEUE_PAGE_PASSWORD, '203.0.113.9')).status).toBe(429);
    const operator = await Promise.all(
      Array.from({ length: 25 }, () => get('/api/queues', QUEUE_PAGE_PASSWORD)),
    );
    expect(operator.every(({ status }) => status === 200)).toBe(true);
  });

  it('responds with 503 while Redis is unavailable', async () => {
    redis.cut();
    const answer = await eventually(
      () => get('/api/queues', QUEUE_PAGE_PASSWORD),
      ({ status }) => status === 503,
    );
    expect(answer.text).toContain('Redis');
    redis.restore();
  });
});
