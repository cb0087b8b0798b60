import { randomUUID } from 'node:crypto';
import type { Test } from 'supertest';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { signPost } from '../support/smsgate/hook-poster';
import type { SmsGateApp } from '../support/smsgate/smsgate-app';
import { SmsGateSite } from '../support/smsgate/smsgate-site';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';

const MINUTE = 60_000;

describe('incoming texts from the app SMSGate', () => {
  let redis: TcpProxy;
  let service: TestService;
  let site: SmsGateSite;

  beforeAll(async () => {
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    service = await TestService.start({ environment: { REDIS_URL: redis.via(REDIS_URL) } });
  });
  beforeEach(async () => {
    site = await SmsGateSite.create(service);
  });
  afterEach(() => {
    site.stop();
  });
  afterAll(async () => {
    await service.stop();
    await redis.close();
  });

  const texts = async (app: SmsGateApp) =>
    (await site.received(app.deviceId)).map(({ message }) => message as string).sort();
  const stored = (app: SmsGateApp, count: number) =>
    eventually(
      () => texts(app),
      (all) => all.length === count,
    );
  const posted = (app: SmsGateApp) =>
    eventually(
      () => app.storage.posts.size,
      (size) => size === 0,
    );

  /** A post as the app makes it, with parts that a test replaces. */
  function post(
    app: SmsGateApp,
    body: object | string,
    { key = app.storage.settings.signingKey ?? '', to = app.deviceId, ageSeconds = 0 } = {},
  ): Test {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const timestamp = String(Math.floor(service.clock.now().getTime() / 1_000) - ageSeconds);
    return site
      .call('post', `/hook/${to}`)
      .set('content-type', 'application/json')
      .set('x-timestamp', timestamp)
      .set('x-signature', signPost(key, text, timestamp))
      .send(text);
  }
  const received = (message: string, fields: object = {}) => ({
    id: randomUUID(),
    webhookId: 'recv',
    event: 'sms:received',
    payload: {
      messageId: '1a2b3c4d',
      message,
      sender: '+447700900999',
      phoneNumber: '+447700900999',
      simNumber: 1,
      receivedAt: service.clock.now().toISOString(),
      ...fields,
    },
  });

  it.each(['1.53.0', '1.68.0'])(
    'are stored with sender, text, time and SIM, as version %s posts them',
    async (version) => {
      const app = await site.pair({ version });
      const sentAt = service.clock.now().getTime() - 5_000;
      app.receiveSms({ sender: '+447700900999', text: 'Grüße 👋', simNumber: 2, sentAt });
      await stored(app, 1);
      const [sms] = await site.received(app.deviceId);
      expect(sms).toMatchObject({ sender: '+447700900999', message: 'Grüße 👋', simSubscriptionId: 2 });
      if (version === '1.68.0') expect(sms?.receivedAt).toBe(new Date(sentAt).toISOString());
      await posted(app);
      expect(app.errors).toEqual([]);
    },
  );

  it('are stored once although they are posted twice, by retry, replay or two ways of reception', async () => {
    const app = await site.pair();
    const body = received('Once');
    await post(app, body).expect(204);
    await post(app, body).expect(204);
    await post(app, body, { ageSeconds: 3_600 }).expect(204);
    await post(app, { ...body, id: randomUUID() }).expect(204);
    await Promise.all(
      Array.from({ length: 5 }, () =>
        post(app, received('Together', { receivedAt: '2026-11-25T23:55:00.000+02:00' })),
      ),
    );
    expect(await texts(app)).toEqual(['Once', 'Together']);
  });

  it('that are unsigned, forged or signed by another phone are refused, and leave nothing', async () => {
    const [app, other] = [await site.pair(), await site.pair()];
    const body = received('Forged');
    await site.call('post', `/hook/${app.deviceId}`).send(body).expect(401);
    for (const key of ['', '12345678', other.storage.settings.signingKey, app.registration.token])
      await post(app, body, { key }).expect(401);
    await post(app, body, { to: other.deviceId }).expect(401);
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = () =>
      site
        .call('post', `/hook/${app.deviceId}`)
        .set('content-type', 'application/json')
        .set('x-signature', signPost(app.storage.settings.signingKey ?? '', text, timestamp));
    await signed().set('x-timestamp', timestamp).send(text.replace('Forged', 'Changed')).expect(401);
    await signed()
      .set('x-timestamp', String(Number(timestamp) + 1))
      .send(text)
      .expect(401);
    await signed().send(text).expect(401);
    await post(app, body, { to: '000000000000000000000000' }).expect(401);
    expect([await texts(app), await texts(other)]).toEqual([[], []]);
  });

  it('arrive although the app signs with a key of its own until it has fetched that of the service', async () => {
    const app = await site.pair();
    const { signingKey, ...settings } = app.storage.settings;
    app.storage.settings = settings;
    app.receiveSms({ sender: '+447700900999', text: 'Early' });
    await eventually(
      () => app.errors,
      (errors) => errors.some((each) => each.includes('status 401')),
    );
    app.storage.settings = { ...settings, signingKey };
    await stored(app, 1);
  });

  it('of a deleted phone are refused', async () => {
    const app = await site.pair();
    await site.client.delete(`/gateway/devices/${app.deviceId}`).expect(200);
    await post(app, received('Late')).expect(401);
  });

  it.each([
    ['another event', { event: 'sms:sent', payload: {} }],
    ['an event of a newer app', { event: 'future:event', payload: { any: ['thing'] } }],
    ['the start of the app', { event: 'app:started', payload: { simCards: [] } }],
    ['no event', {}],
    ['a text of another type', { event: 'sms:received', id: 'a', payload: { sender: 5, message: { a: 1 } } }],
    ['no payload', { event: 'sms:received', id: 'a' }],
    [
      'a ping without its checks',
      { event: 'system:ping', payload: { health: { checks: { 'battery:level': 'full' } } } },
    ],
  ])('of %s are accepted, because the app would repeat them for two days', async (_name, body) => {
    const app = await site.pair();
    const answer = await post(app, body);
    expect(answer.status).toBeGreaterThanOrEqual(200);
    expect(answer.status).toBeLessThan(300);
    expect(await texts(app)).toEqual([]);
  });

  it('come with pings, which are heartbeats', async () => {
    const app = await site.pair();
    app.ping({ battery: 42, charging: 0 });
    await posted(app);
    const device = await site.device(app.deviceId);
    expect(device.batteryInfo).toMatchObject({ percentage: 42, isCharging: false });
    app.ping({ battery: 43, charging: 5 });
    await eventually(
      () => site.device(app.deviceId),
      (each) => JSON.stringify(each).includes('"isCharging":true'),
    );
  });

  // An app before 1.67 posts again what it has posted, so that of equal texts only the surplus is new.
  it.each([
    ['1.66.0', 'Yes'],
    ['1.68.0', 'Live'],
  ])('that arrived while the app was off are fetched once when version %s is back', async (version, live) => {
    const app = await site.pair({ version });
    await eventually(
      () => app.streams.open,
      (open) => open === 1,
    );
    service.clock.advance(10_000);
    const sentAt = service.clock.now().getTime() - 3_000;
    app.receiveSms({ sender: '+447700900999', text: live, sentAt });
    await stored(app, 1);
    app.stop();
    await eventually(
      async () => {
        service.clock.advance(31_000);
        return (await site.device(app.deviceId)).connection;
      },
      (connection) => JSON.stringify(connection).includes('offline'),
    );
    for (const text of ['Yes', 'Missed']) app.receiveSms({ sender: '+447700900999', text });
    service.clock.advance(10 * MINUTE);
    app.receiveSms({ sender: '+447700900888', text: 'Yes' });
    const again = await site.restart(app);
    await stored(again, 4);
    await posted(again);
    expect(await texts(again)).toEqual([live, 'Missed', 'Yes', 'Yes'].sort());
    expect(again.events.filter(({ name }) => name === 'MessagesExportRequested')).toHaveLength(1);
    const third = await site.restart(again);
    await eventually(
      () => third.streams.open,
      (open) => open === 1,
    );
    await untilAired(third);
    // Texts may have arrived however short it was off; those that are stored are not stored again.
    await posted(third);
    expect(third.events.filter(({ name }) => name === 'MessagesExportRequested')).toHaveLength(1);
    expect(await texts(third)).toHaveLength(4);
  });

  it('are asked for after a restart of the app, although the phone left an older stream half open', async () => {
    const app = await site.pair();
    await eventually(
      () => app.streams.open,
      (open) => open === 1,
    );
    const halfOpen = await RawStream.openOfApp(app.options.apiUrl, app.registration.token);
    const again = await site.restart(app);
    await eventually(
      () => again.events.filter(({ name }) => name === 'MessagesExportRequested').length,
      (count) => count === 1,
    );
    halfOpen.close();
  });

  it('are asked for again by the next streams, because the request may be lost with its stream', async () => {
    const app = await site.pair();
    await eventually(
      () => app.streams.open,
      (open) => open === 1,
    );
    app.stop();
    await reportStart(app);
    const { token } = app.registration;
    const first = await requestOf(await RawStream.openOfApp(app.options.apiUrl, token));
    service.clock.advance(9 * MINUTE);
    const second = await requestOf(await RawStream.openOfApp(app.options.apiUrl, token));
    expect(second.since).toBe(first.since);
    service.clock.advance(MINUTE);
    const third = await RawStream.openOfApp(app.options.apiUrl, token);
    await site.client.send(['+447700900123'], { deviceId: app.deviceId });
    await eventually(
      () => third.eventsOf('MessageEnqueued').length,
      (count) => count > 0,
    );
    expect(third.eventsOf('MessagesExportRequested')).toEqual([]);
    third.close();
  });

  it('are asked for although Redis does not answer when the app starts', async () => {
    const app = await site.pair();
    await eventually(
      () => app.streams.open,
      (open) => open === 1,
    );
    app.stop();
    redis.cut();
    try {
      await reportStart(app);
    } finally {
      redis.restore();
    }
    await requestOf(await RawStream.openOfApp(app.options.apiUrl, app.registration.token));
  });

  /** What the app calls before it opens its stream. */
  async function reportStart(app: SmsGateApp): Promise<void> {
    const { id, token } = app.registration;
    await site.call('patch', '/device', { token }).send({ id }).expect(204);
  }

  /** The request for an export on a stream, which it closes. */
  async function requestOf(stream: RawStream): Promise<{ readonly since: string }> {
    const [request] = await eventually(
      () => stream.eventsOf('MessagesExportRequested'),
      (requests) => requests.length === 1,
    );
    stream.close();
    return request as { readonly since: string };
  }

  /** After it, everything that the service wrote to the stream at its opening has arrived. */
  async function untilAired(app: SmsGateApp): Promise<void> {
    await site.client.send(['+447700900123'], { deviceId: app.deviceId });
    await eventually(
      () => app.aired.length,
      (count) => count > 0,
    );
  }
});
