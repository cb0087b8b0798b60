import { Types } from 'mongoose';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { RefusedCall } from '../support/smsgate/app-http';
import type { SmsGateApp } from '../support/smsgate/smsgate-app';
import { SmsGateSite } from '../support/smsgate/smsgate-site';
import { TestService } from '../support/service';

const MINUTE = 60_000;

describe('pairing with the app SMSGate', () => {
  let service: TestService;
  let site: SmsGateSite;

  beforeAll(async () => {
    service = await TestService.start({ environment: { TRUST_PROXY: '1' } });
  });
  beforeEach(async () => {
    site = await SmsGateSite.create(service);
  });
  afterEach(() => {
    site.stop();
  });
  afterAll(() => service.stop());

  const devices = async () => ((await site.client.get('/gateway/devices')).body as { data: unknown[] }).data;
  const stored = (id: string) => service.collection('devices').findOne({ _id: new Types.ObjectId(id) });
  const connected = (app: SmsGateApp, open = 1) =>
    eventually(
      () => app.streams.open,
      (count) => count === open,
    );
  const openStream = (app: SmsGateApp) => RawStream.openOfApp(app.options.apiUrl, app.registration.token);
  let lastAddress = 0;
  const newAddress = () => `198.51.100.${(lastAddress += 1)}`;

  it('makes a device of the account, which the page with the code is told', async () => {
    const { id, code } = await site.newCode();
    const app = await site.start({ credential: { code }, name: 'Google/oriole', version: '1.68.0' });
    await connected(app);
    expect(await site.device(app.deviceId)).toMatchObject({
      manufacturer: 'Google',
      model: 'oriole',
      os: 'Android',
      appVersionName: '1.68.0',
      enabled: true,
      receiveSMSEnabled: true,
      simInfo: {
        sims: [
          { subscriptionId: 1, simSlotIndex: 0 },
          { subscriptionId: 2, simSlotIndex: 1 },
        ],
      },
    });
    expect(JSON.stringify(await site.device(app.deviceId))).not.toContain('iccId');
    const profile = (await site.session.get('/auth/who-am-i')).body as { data: { email: string } };
    expect(app.registration.login).toBe(profile.data.email);
    const progress = (await site.session.get(`/auth/pairing-codes/${id}`)).body as {
      data: { device: unknown };
    };
    expect(progress.data.device).toBe(app.deviceId);
    expect([app.errors, app.violations]).toEqual([[], []]);
  });

  it('is refused in the same words with a wrong, a used, an expired and no code, and leaves nothing', async () => {
    const used = await site.newCode();
    await site.start({ credential: { code: used.code } });
    const expired = await site.newCode();
    service.clock.advance(11 * MINUTE);
    const answers = [];
    for (const code of ['0000000000', used.code, expired.code])
      answers.push(await site.register(`Code ${code}`, { name: 'Other/phone', address: newAddress() }));
    const [first] = answers;
    expect(first).toMatchObject({ status: 401, body: { message: expect.stringMatching(/code/) as string } });
    for (const each of answers) expect([each.status, each.body]).toEqual([401, first?.body]);
    const pair = Buffer.from('ada@example.com:password').toString('base64');
    for (const authorization of [undefined, `Basic ${pair}`, 'Bearer private-token', 'Code', 'Code abc']) {
      const answer = await site.register(authorization, { address: newAddress() });
      expect([answer.status, answer.body]).toEqual([
        401,
        expect.objectContaining({ message: expect.any(String) as string }),
      ]);
    }
    expect(await devices()).toHaveLength(1);
  });

  it('shows the refusal to the person, and works with the next code', async () => {
    await expect(site.start({ credential: { code: '0000000000' } })).rejects.toThrow(
      expect.objectContaining({
        status: 401,
        body: expect.stringContaining('message') as string,
      }) as RefusedCall,
    );
    await connected(await site.pair());
  });

  it('gives the same device and another token to a repetition, until the phone has called', async () => {
    const { code } = await site.newCode();
    const answers = [await site.register(`Code ${code}`), await site.register(`Code ${code}`)];
    const [lost, arrived] = answers.map(({ body }) => body as { id: string; token: string });
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(arrived?.id).toBe(lost?.id);
    await site.call('get', '/settings', lost).expect(401);
    await site.call('patch', '/device', arrived).send({ id: arrived?.id }).expect(204);
    await eventually(
      () => stored(arrived?.id ?? ''),
      (device) => device?.lastContactAt !== undefined,
    );
    await site.register(`Code ${code}`).expect(401);
    await site.call('get', '/settings', arrived).expect(200);
    expect(await devices()).toHaveLength(1);
  });

  it('gives each of two phones that use one code at once either the device or a refusal', async () => {
    const { code } = await site.newCode();
    const answers = await Promise.all(
      ['A/a', 'B/b', 'C/c'].map((name) => site.register(`Code ${code}`, { name, address: newAddress() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    expect(await devices()).toHaveLength(1);
  });

  it('limits wrong codes of an address, and nobody else', async () => {
    const address = newAddress();
    const statuses = new Set<number>();
    for (let count = 0; count < 60 && !statuses.has(429); count += 1)
      statuses.add((await site.register('Code 0000000000', { address })).status);
    expect([...statuses]).toEqual([401, 429]);
    const limited = await site.register(`Code ${(await site.newCode()).code}`, { address });
    expect([limited.status, limited.body]).toEqual([
      429,
      expect.objectContaining({ message: expect.any(String) as string }),
    ]);
    await site.pair();
  });

  it('refuses versions below 1.53 with a sentence, and leaves their code valid', async () => {
    const { code } = await site.newCode();
    for (const version of ['1.52.0', '1.9.99', '0.99.0', 'none']) {
      const answer = await site.register(`Code ${code}`, { version, address: newAddress() });
      expect([answer.status, (answer.body as { message: string }).message]).toEqual([
        400,
        expect.stringContaining('1.53'),
      ]);
    }
    expect(await devices()).toHaveLength(0);
    await connected(await site.start({ credential: { code }, version: '1.53.0' }));
  });

  it('works with a slash at the end of the URL', async () => {
    const app = await site.pair({ apiUrl: `${service.url}/sms/` });
    await connected(app);
    await site.client.send(['+447700900123'], { deviceId: app.deviceId });
    await eventually(
      () => app.aired.length,
      (count) => count === 1,
    );
    await site.restart(app);
    expect(app.errors).toEqual([]);
  });

  it('takes SIMs and version over at each start, and refuses the id of another device', async () => {
    const app = await site.pair({ version: '1.66.0' });
    expect(await stored(app.deviceId)).toMatchObject({ appVersionName: '1.66.0', supportsCancel: false });
    const again = await site.restart(app, { version: '1.67.1', simNumbers: [2] });
    expect(await stored(app.deviceId)).toMatchObject({
      appVersionName: '1.67.1',
      supportsCancel: true,
    });
    const other = await site.pair();
    const foreign = await site.call('patch', '/device', again.registration).send({ id: other.deviceId });
    expect([foreign.status, foreign.body]).toEqual([
      403,
      expect.objectContaining({ message: expect.any(String) as string }),
    ]);
    expect(again.errors).toEqual([]);
  });

  it('ends the streams of a deleted device, and refuses all its calls', async () => {
    const app = await site.pair();
    await connected(app);
    await site.client.delete(`/gateway/devices/${app.deviceId}`).expect(200);
    await connected(app, 0);
    for (const path of ['/events', '/message', '/messages', '/settings', '/webhooks'])
      await site.call('get', path, app.registration).expect(401);
    for (const path of ['/device', '/message'])
      await site.call('patch', path, app.registration).send({ id: app.deviceId }).expect(401);
    await expect(site.restart(app)).rejects.toThrow('401');
    expect(await devices()).toHaveLength(0);
  });

  it('gives a token that is good for the calls of the app only, and counts as no API key', async () => {
    const app = await site.pair();
    const { token } = app.registration;
    for (const header of ['x-api-key', 'authorization']) {
      const answer = await site.client
        .get('/gateway/devices')
        .set('x-api-key', '')
        .set(header, header === 'authorization' ? `Bearer ${token}` : token);
      expect(answer.status).toBe(401);
    }
    for (const wrong of [site.client.apiKey, site.session.accessToken, 'nonsense', ''])
      await site.call('get', '/message', { token: wrong }).expect(401);
    await site.call('get', '/message').expect(401);
    const keys = (await site.session.get('/auth/api-keys')).body as { data: unknown[] };
    expect(keys.data).toHaveLength(1);
  });

  it('keeps ten streams of a phone open, closes none of them, and answers further ones with 429', async () => {
    const app = await site.pair();
    await connected(app);
    for (let count = 1; count < 10; count += 1) app.streams.add();
    await connected(app, 10);
    const answers = await Promise.all(
      Array.from({ length: 90 }, () => site.call('get', '/events', app.registration)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    expect([app.streams.open, app.streams.opened]).toEqual([10, 10]);
    app.streams.cut();
    await connected(app, 10);
  });

  it('opens ten streams of a phone that opens twenty at once', async () => {
    const app = await site.pair();
    await connected(app);
    app.stop();
    await connected(app, 0);
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(app)));
    const statuses = streams.map(({ answer }) => answer.statusCode);
    expect([200, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([10, 10]);
    for (const stream of streams) stream.close();
  });

  it('knows when the last stream of a phone ends, in whatever order they do', async () => {
    const app = await site.pair();
    await connected(app);
    app.stop();
    await connected(app, 0);
    const first = await openStream(app);
    const second = await openStream(app);
    second.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await stored(app.deviceId))?.stream).not.toHaveProperty('closedAt');
    first.close();
    await eventually(
      () => stored(app.deviceId),
      (device) => (device?.stream as { closedAt?: Date } | undefined)?.closedAt !== undefined,
    );
  });

  it('tells the app its settings, with the exact values of the protocol', async () => {
    const app = await site.pair();
    expect(app.storage.settings).toMatchObject({
      channel: 'SSE_ONLY',
      order: 'FIFO',
      limitPeriod: 'Disabled',
      pingInterval: 600,
      signingKey: expect.stringMatching(/^.{32,}$/) as string,
    });
    const other = await site.pair();
    expect(other.storage.settings.signingKey).not.toBe(app.storage.settings.signingKey);
  });

  it.each([
    ['1.65.0', ['sms:received', 'system:ping']],
    ['1.66.0', ['sms:received', 'system:ping', 'app:started']],
  ])('lists the hooks that version %s knows, at the address that the app uses', async (version, events) => {
    const apiUrl = `${service.url.replace('127.0.0.1', 'localhost')}/sms`;
    const app = await site.pair({ version, apiUrl, variant: 'insecure' });
    expect(app.storage.hooks.map(({ event }) => event).sort()).toEqual([...events].sort());
    for (const { url } of app.storage.hooks) expect(url).toMatch(new RegExp(`^${apiUrl}/hook/`));
    expect(app.violations).toEqual([]);
  });

  it('serves a phone on the channel AUTO when it fetches, and says what to tap', async () => {
    const app = await site.pair({ channel: 'AUTO', pushToken: 'fcm-token' });
    await eventually(
      () => app.fetcher.completed,
      (count) => count >= 1,
    );
    await site.client.send(['+447700900123'], { deviceId: app.deviceId });
    expect(await site.device(app.deviceId)).toMatchObject({
      health: { reasons: [{ code: 'phone_fetches_rarely' }] },
    });
    app.fetcher.restart();
    await eventually(
      () => app.aired.length,
      (count) => count === 1,
    );
    expect(app.streams.opened).toBe(0);
  });

  it('answers the other calls of the settings page', async () => {
    const app = await site.pair();
    expect(await app.externalIp()).toBe('127.0.0.1');
    await site.call('get', '/user/code').expect(501);
    await site.call('patch', '/user/password', app.registration).send({}).expect(403);
    const unknown = await site.call('get', '/nothing', app.registration);
    expect([unknown.status, unknown.type]).toEqual([404, 'application/json']);
  });
});
