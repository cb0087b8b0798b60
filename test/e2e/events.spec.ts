import Redis from 'ioredis';
import { LiveUpdateStreams } from '../../src/gateway/insight/live-updates/live-update-streams.service';
import { LiveHints } from '../../src/infrastructure/live/live-hints';
import { RedisConfig } from '../../src/config/sections/redis.config';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';
import { WEBHOOK_SECRET } from '../support/webhook-owner';

interface HintJson {
  readonly ids: readonly string[];
  readonly all?: true;
}

const LOOPBACK = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

describe('the event stream of an account', () => {
  /** Makes the changes. */
  let here: TestService;
  /** Holds the streams. */
  let there: TestService;
  /** Between `there` and Redis. */
  let redis: TcpProxy;
  let client: TestClient;
  let device: string;
  const streams: RawStream[] = [];

  beforeAll(async () => {
    here = await TestService.start({ environment: LOOPBACK });
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    there = await TestService.start({
      shared: here,
      environment: {
        APP_ROLES: 'api',
        REDIS_URL: redis.via(REDIS_URL),
        MAX_EVENT_STREAMS_PER_ACCOUNT: '2',
      },
    });
  });
  beforeEach(async () => {
    client = await here.newAccount();
    device = await client.newDevice({ simInfo: { lastUpdated: 1, sims: [{ subscriptionId: 1 }] } });
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    redis.restore();
    await there.stop();
    await here.stop();
    await redis.close();
  });

  const keyOf = ({ apiKey }: TestClient) => ({ 'x-api-key': apiKey });

  async function open(
    headers: Readonly<Record<string, string>> = keyOf(client),
    service = there,
  ): Promise<RawStream> {
    const stream = await RawStream.openEvents(service.url, headers);
    streams.push(stream);
    return stream;
  }

  /** Opens a stream that gets hints; again while Redis answers too late, or the last stream is not closed yet. */
  function follow(headers?: Readonly<Record<string, string>>, service?: TestService): Promise<RawStream> {
    return eventually(
      async () => {
        const stream = await open(headers, service);
        if (stream.answer.statusCode !== 200) return stream;
        await received(stream, 'ready', 1);
        if (!isLive(stream)) stream.close();
        return stream;
      },
      (stream) => isLive(stream),
    );
  }
  const isLive = (stream: RawStream) => JSON.stringify(stream.eventsOf('ready')) === '[{"live":true}]';

  const received = (stream: RawStream, name: string, count: number) =>
    eventually(
      () => stream.eventsOf(name),
      ({ length }) => length >= count,
    );
  const hints = (stream: RawStream, kind: string) => stream.eventsOf(kind) as HintJson[];
  const hinted = (stream: RawStream, kind: string, id: string) =>
    eventually(
      () => hints(stream, kind),
      (all) => all.some(({ ids }) => ids.includes(id)),
    );
  const closed = (stream: RawStream) =>
    eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );

  async function sendOne(fields: object = {}): Promise<string> {
    const batch = await client.send(['+4915112345678'], { deviceId: device, ...fields });
    return (await client.batch(device, batch)).messages[0]?._id ?? '';
  }
  const report = async (smsId: string, status: string) => {
    const { status: code } = await client.patch(`/gateway/devices/${device}/sms-status`, { smsId, status });
    expect(code).toBe(200);
  };
  const inAnHour = () => new Date(here.clock.now().getTime() + 3_600_000).toISOString();
  const idOf = ({ body }: { body: unknown }) => (body as { data: { _id: string } }).data._id;

  it('hints at a report to another process within two seconds', async () => {
    const stream = await follow();
    const scheduledAt = inAnHour();
    const tookMs: number[] = [];
    for (let i = 1; i <= 3; i++) {
      const id = await sendOne({ scheduledAt });
      await received(stream, 'message', 2 * i - 1);
      await report(id, 'DELIVERED');
      const since = performance.now();
      await hinted(stream, 'message', id);
      tookMs.push(performance.now() - since);
    }
    // Some may be delayed on a busy machine.
    expect(Math.min(...tookMs)).toBeLessThan(2_000);
    expect(stream.answer.headers['content-type']).toContain('text/event-stream');
  });

  it('hints at each kind of change', async () => {
    const receiver = await WebhookReceiver.start(respondWith(204));
    const stream = await follow();
    try {
      const batch = await client.send(['+4915112345678'], {
        deviceId: device,
        scheduledAt: inAnHour(),
      });
      await hinted(stream, 'batch', batch);
      await eventually(
        () => hints(stream, 'message'),
        (all) => all.some((hint) => hint.all),
      );
      const changes = async (path: string) => {
        const before = hints(stream, 'batch').length;
        expect((await client.post(`/gateway/batches/${batch}/${path}`)).status).toBe(200);
        await eventually(
          () => hints(stream, 'batch').slice(before),
          (all) => all.some(({ ids }) => ids.includes(batch)),
        );
      };
      for (const path of ['pause', 'resume', 'cancel']) await changes(path);

      const [sim = ''] = ((await client.get('/gateway/sims')).body as { data: { _id: string }[] }).data.map(
        ({ _id }) => _id,
      );
      await client.patch(`/gateway/sims/${sim}`, { label: 'Kitchen' });
      await hinted(stream, 'sim', sim);
      const pool = await client.post('/gateway/pools', { name: 'Orders', sims: [sim] });
      await hinted(stream, 'pool', idOf(pool));

      const webhook = await client.post('/webhooks', {
        deliveryUrl: receiver.url,
        signingSecret: WEBHOOK_SECRET,
        events: ['MESSAGE_RECEIVED'],
      });
      await hinted(stream, 'webhook', idOf(webhook));
      const upload = {
        sender: '+4915112345679',
        message: 'Hi',
        receivedAtInMillis: here.clock.now().getTime(),
      };
      expect((await client.post(`/gateway/devices/${device}/receive-sms`, upload)).status).toBe(200);
      await received(stream, 'delivery', 1);
      const { data } = (await client.get('/webhooks/notifications')).body as {
        data: { data: { _id: string; payload: { smsId: string } }[] };
      };
      await hinted(stream, 'delivery', data.data[0]?._id ?? '');
      await hinted(stream, 'message', data.data[0]?.payload.smsId ?? '');

      await client.post(`/gateway/devices/${device}/heartbeat`);
      await hinted(stream, 'device', device);
      const before = hints(stream, 'device').length;
      await client.delete(`/gateway/devices/${device}`);
      await received(stream, 'device', before + 1);
    } finally {
      await receiver.stop();
    }
  });

  it('sends nothing of another account', async () => {
    const stranger = await here.newAccount();
    const theirs = await follow(keyOf(stranger));
    const stream = await follow();
    await sendOne();
    await received(stream, 'message', 1);
    // Redis may answer too late.
    const theirEvents = theirs.text
      .match(/^event: .*$/gm)
      ?.filter((event) => !/degraded|restored/.test(event));
    expect(theirEvents).toEqual(['event: ready']);
  });

  it('hints at most four times a second, whatever happens', async () => {
    const stream = await follow();
    const startedAt = performance.now();
    const recipients = Array.from({ length: 20 }, (_, index) => `+49151${12_345_600 + index}`);
    const scheduledAt = inAnHour();
    const batches: string[] = [];
    for (let i = 0; i < 10; i++) {
      const sends = Array.from({ length: 5 }, () =>
        client.send(recipients, { deviceId: device, scheduledAt }),
      );
      batches.push(...(await Promise.all(sends)));
    }
    for (const batch of batches) await hinted(stream, 'batch', batch);
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const kind of ['message', 'batch']) {
      const { length } = hints(stream, kind);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(Math.floor(4 * seconds) + 1);
    }
  });

  it('costs no call of Redis while nobody listens', async () => {
    const connection = new Redis(here.environment.REDIS_URL ?? '');
    const subscriber = connection.duplicate();
    const published: string[] = [];
    const prefix = here.get(RedisConfig).prefix;
    subscriber.on('pmessage', (_: string, channel: string) => published.push(channel));
    await subscriber.psubscribe(`${prefix}:live:*`);
    try {
      const channelOf = () => here.get(LiveHints).channelOf(String(client.user));
      const marker = `${prefix}:live:marker`;
      // What was published before the marker is known once the marker was received.
      const seen = async () => {
        await connection.publish(marker, '');
        await eventually(
          () => published,
          (channels) => channels.includes(marker),
        );
        return published.splice(0);
      };
      for (let i = 0; i < 5; i++) await report(await sendOne(), 'SENT');
      expect(await seen()).not.toContain(channelOf());
      await follow();
      await sendOne();
      await eventually(
        () => published,
        (channels) => channels.includes(channelOf()),
      );
      client = await here.newAccount();
      device = await client.newDevice();
      for (let i = 0; i < 5; i++) await report(await sendOne(), 'SENT');
      expect(await seen()).not.toContain(channelOf());
    } finally {
      subscriber.disconnect();
      connection.disconnect();
    }
  });

  it('reaches processes that start after it was opened', async () => {
    const stream = await follow();
    const late = await TestService.start({ shared: here, environment: { APP_ROLES: 'api' } });
    try {
      await eventually(
        async () => {
          await client.at(late.url).patch(`/gateway/devices/${device}`, { name: 'Kitchen' });
          return hints(stream, 'device');
        },
        (all) => all.some(({ ids }) => ids.includes(device)),
      );
    } finally {
      await late.stop();
    }
  });

  it('survives messages on its channels that it cannot read', async () => {
    const stream = await follow();
    const { prefix } = here.get(RedisConfig);
    const connection = new Redis(here.environment.REDIS_URL ?? '');
    await connection.publish(`${prefix}:live:${String(client.user)}`, '{');
    await connection.publish(`${prefix}:live:${String(client.user)}`, '{"newer":{"ids":["x"]}}');
    await connection.publish(`${prefix}:live-listeners`, ',,');
    connection.disconnect();
    await sendOne();
    await received(stream, 'message', 1);
    expect(stream.eventsOf('newer')).toEqual([]);
  });

  describe('access', () => {
    it('takes sessions by header and by cookie, and no phone keys', async () => {
      const { accessToken = '' } = await here.signIn(client);
      await follow({ authorization: `Bearer ${accessToken}` });
      await follow({ cookie: `mgw_session=${accessToken}` });
      expect((await open({})).answer.statusCode).toBe(401);
      const person = await here.signIn(client);
      const made = await person.post('/auth/api-keys', { kind: 'phone' });
      const { data: phoneKey } = made.body as { data: string };
      expect((await open({ 'x-api-key': phoneKey })).answer.statusCode).toBe(401);
    });

    it('ends within a second with its session or key, and others stay', async () => {
      const other = await follow();
      const tookMs: number[] = [];
      for (let i = 0; i < 2; i++) {
        const session = await here.signIn(client);
        const stream = await follow({ cookie: `mgw_session=${session.accessToken ?? ''}` });
        expect((await session.delete('/auth/session')).status).toBeLessThan(300);
        const since = performance.now();
        await closed(stream);
        tookMs.push(performance.now() - since);
      }
      expect(Math.min(...tookMs)).toBeLessThan(1_000);
      expect(other.isOpen).toBe(true);
      const person = await here.signIn(client);
      const keys = (await person.get('/auth/api-keys')).body as { data: { _id: string }[] };
      await person.post(`/auth/api-keys/${keys.data[0]?._id ?? ''}/revoke`);
      await closed(other);
    });

    it('ends within 15 seconds while Redis is away', async () => {
      const session = await here.signIn(client);
      const stream = await follow({ authorization: `Bearer ${session.accessToken ?? ''}` });
      redis.cut();
      try {
        await session.delete('/auth/session');
        await there.get(LiveUpdateStreams).keepAlive();
        await closed(stream);
      } finally {
        redis.restore();
      }
      const keepAlive = Object.getOwnPropertyDescriptor(LiveUpdateStreams.prototype, 'keepAlive')
        ?.value as object;
      expect(Reflect.getMetadata('SCHEDULE_INTERVAL_OPTIONS', keepAlive)).toEqual({ timeout: 15_000 });
    });
  });

  describe('an outage of Redis', () => {
    it.each(['cut', 'freeze'] as const)('is told to clients once, and its end (%s)', async (how) => {
      const stream = await follow();
      redis[how]();
      try {
        await received(stream, 'degraded', 1);
        const meanwhile = await open();
        await received(meanwhile, 'ready', 1);
        expect(meanwhile.eventsOf('ready')).toEqual([{ live: false }]);
        redis.restore();
        await Promise.all([stream, meanwhile].map((each) => received(each, 'restored', 1)));
        await sendOne();
        await Promise.all([stream, meanwhile].map((each) => received(each, 'message', 1)));
        expect(stream.eventsOf('degraded')).toEqual([{}]);
        expect(stream.eventsOf('restored')).toEqual([{}]);
        expect(meanwhile.eventsOf('degraded')).toEqual([]);
      } finally {
        redis.restore();
      }
    });
  });

  it('is limited to a number for each account and process', async () => {
    const first = await follow();
    await follow();
    const refused = await client.at(there.url).get('/events');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'CONCURRENCY_LIMITED' });
    expect((refused.body as { error: string }).error).toContain('MAX_EVENT_STREAMS_PER_ACCOUNT');
    expect(refused.headers['retry-after']).toBe('15');
    expect((await follow(keyOf(await here.newAccount()))).isOpen).toBe(true);
    first.close();
    await eventually(
      () => open(),
      ({ answer }) => answer.statusCode === 200,
    );
  });

  it('ends if its client does not read', async () => {
    const slow = await follow();
    const [held] = there
      .get(LiveUpdateStreams)
      .listOpen()
      .filter(({ account }) => account.user.equals(client.user));
    if (!held) throw new Error('There is no stream');
    const other = await follow();
    slow.pause();
    const ids = Array.from({ length: 50 }, () => device);
    await eventually(
      () => {
        for (let i = 0; held.isOpen && i < 1_000; i++) held.sendHints({ message: { ids } });
        return held.isOpen;
      },
      (isOpen) => !isOpen,
    );
    expect(held.bufferedBytes).toBeLessThan(128 * 1024);
    await sendOne();
    await received(other, 'message', 1);
  });

  it('ends when its process stops', async () => {
    const stopping = await TestService.start({ shared: here, environment: { APP_ROLES: 'api' } });
    const stream = await open(undefined, stopping);
    await received(stream, 'ready', 1);
    const since = performance.now();
    await stopping.stop();
    expect(performance.now() - since).toBeLessThan(15_000);
    await closed(stream);
  });
});
