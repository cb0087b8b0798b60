import { createHmac } from 'node:crypto';
import { eventually } from '../eventually';
import { AppStorage } from './app-storage';
import { reconnectDelay, retryDelay } from './app-time';
import { formatDate, optionalDate } from './gson';
import { FakeGateway } from './fake-gateway';
import { SmsGateApp, type SmsGateAppOptions } from './smsgate-app';

const MESSAGE = {
  id: '665f00000000000000000001',
  message: 'Hello',
  textMessage: { text: 'Hello' },
  phoneNumbers: ['+44 7700 900123'],
  withDeliveryReport: true,
  isEncrypted: false,
  priority: 0,
  createdAt: '2026-11-25T23:55:00.123Z',
};

describe('the stand-in of the app SMSGate', () => {
  let gateway: FakeGateway;
  const apps: SmsGateApp[] = [];

  beforeEach(async () => {
    gateway = await FakeGateway.start();
  });
  afterEach(async () => {
    for (const app of apps.splice(0)) app.stop();
    await gateway.stop();
  });

  async function start(options: Partial<SmsGateAppOptions> = {}): Promise<SmsGateApp> {
    const app = new SmsGateApp({ apiUrl: gateway.url, credential: { code: '1234567890' }, ...options });
    apps.push(app);
    return app.start();
  }
  const list = (...messages: object[]) => gateway.answers.set('GET /message', [200, messages]);
  const states = () =>
    gateway.bodiesOf('PATCH /message').map((body) => (body as { state: string }[])[0]?.state);
  const reported = (state: string, count = 1) =>
    eventually(states, (all) => all.filter((each) => each === state).length >= count);

  it('registers by code, opens the stream, fetches, and reads settings and webhooks', async () => {
    const app = await start({ version: '1.68.0' });
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 1,
    );
    const [register] = gateway.callsOf('POST /device');
    expect(register?.headers).toMatchObject({
      authorization: 'Code 1234567890',
      'user-agent': 'me.capcom.smsgateway/1.68.0',
    });
    expect(JSON.parse(register?.text ?? '')).toEqual({
      name: 'Google/oriole',
      simCards: [1, 2].map((simNumber) => ({
        slotIndex: simNumber - 1,
        simNumber,
        phoneNumber: `*********012${simNumber}`,
        carrierName: '****fone',
        iccid: `***************${simNumber}234`,
      })),
    });
    expect(gateway.callsOf('GET /events')[0]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      accept: 'text/event-stream',
      'user-agent': expect.stringContaining('okhttp') as string,
    });
    expect(gateway.callsOf('GET /message')[0]?.call).toBe('GET /message?order=lifo');
    expect([gateway.callsOf('GET /settings').length, gateway.callsOf('GET /webhooks').length]).toEqual([
      1, 1,
    ]);
    expect(await app.externalIp()).toBe('203.0.113.7');
  });

  it('appends paths to the URL as it was typed', async () => {
    gateway.answers.set('POST //device', [201, { id: 'a', token: 'b', login: 'c' }]);
    await start({ apiUrl: `${gateway.url}/` });
    expect(gateway.calls[0]?.call).toBe('POST //device');
  });

  it.each([
    ['an answer without login', [201, { id: 'a', token: 'b' }]],
    [
      'an answer that is no JSON by its type',
      [201, { id: 'a', token: 'b', login: 'c' }, { 'content-type': 'text/plain' }],
    ],
    ['a refusal', [401, { message: 'Wrong code' }]],
  ] as const)('does not register with %s', async (_name, answer) => {
    gateway.answers.set('POST /device', answer);
    await expect(start()).rejects.toThrow(/login is missing|text\/plain|401.*Wrong code/);
  });

  it('announces itself at a restart until that succeeds, and registers anew without a code after a 401', async () => {
    const app = await start();
    let tries = 0;
    gateway.answers.set('PATCH /device', () => [(tries += 1) < 3 ? 500 : 204]);
    const again = await app.restart();
    apps.push(again);
    expect(tries).toBe(3);
    gateway.answers.set('PATCH /device', [401, { message: 'Unauthorized' }]);
    gateway.answers.set('POST /device', [401, { message: 'Unauthorized' }]);
    await expect(again.restart()).rejects.toThrow('401');
    expect(gateway.callsOf('POST /device').map(({ headers }) => headers.authorization)).toEqual([
      'Code 1234567890',
      undefined,
    ]);
  });

  it('sends a listed message once, whatever is repeated, and reports each state again when it is listed again', async () => {
    list(MESSAGE, MESSAGE);
    const app = await start();
    await reported('Delivered');
    gateway.push('event: MessageEnqueued\ndata: {}\n\n');
    await reported('Delivered', 2);
    const again = await app.restart();
    apps.push(again);
    await reported('Delivered', 3);
    expect(app.aired).toEqual([
      expect.objectContaining({ id: MESSAGE.id, phoneNumber: '+447700900123', text: 'Hello' }),
    ]);
    const last = gateway.bodiesOf('PATCH /message').at(-1);
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+02:00$/) as unknown;
    expect(last).toEqual([
      {
        id: MESSAGE.id,
        state: 'Delivered',
        recipients: [{ phoneNumber: '+44 7700 900123', state: 'Delivered' }],
        states: { Pending: date, Processed: date, Sent: date, Delivered: date },
      },
    ]);
    expect(app.violations).toEqual([]);
  });

  it.each([
    ['an epoch number', { validUntil: 1_764_115_000_000 }],
    ['an empty date', { createdAt: '' }],
    ['a date without a zone', { createdAt: '2026-11-25T23:55:00.123' }],
    ['a priority of 128', { priority: 128 }],
    ['a SIM that is no number', { simNumber: 'two' }],
    ['no recipients', { phoneNumbers: undefined }],
    ['no id', { id: undefined }],
  ])('loses the whole list by %s', async (_name, fields) => {
    list({ ...MESSAGE, id: 'other' }, { ...MESSAGE, ...fields });
    const app = await start();
    await eventually(
      () => app.errors,
      (errors) => errors.some((each) => each.startsWith('fetch: ')),
    );
    expect(app.aired).toEqual([]);
  });

  it('accepts unknown fields and states, and a date without decimals', async () => {
    list({
      ...MESSAGE,
      state: 'Invented',
      invented: 1,
      createdAt: '2026-11-25T23:55:00Z',
      isEncrypted: null,
    });
    const app = await start();
    await reported('Delivered');
    expect(app.violations).toEqual([]);
  });

  it('reads microseconds as that many milliseconds, and notes it with other violations', async () => {
    expect(optionalDate({ at: '2026-11-25T23:55:00.123456Z' }, 'at')).toBe(
      Date.parse('2026-11-25T23:55:00Z') + 123_456,
    );
    list({
      ...MESSAGE,
      createdAt: '2026-11-25T23:55:00.123456Z',
      textMessage: undefined,
      phoneNumbers: ['1', '2'],
    });
    const app = await start();
    await reported('Delivered');
    expect(app.violations).toEqual([
      expect.stringContaining('2 recipients'),
      expect.stringContaining('both message and textMessage'),
      expect.stringContaining('three decimals'),
    ]);
  });

  it('cancels from version 1.67 on, and sends a cancelled message before', async () => {
    list({ ...MESSAGE, state: 'Cancelling' });
    const modern = await start({ version: '1.67.0' });
    await reported('Cancelled');
    expect(modern.aired).toEqual([]);
    modern.stop();
    const old = await start({ version: '1.66.0' });
    await reported('Delivered');
    expect(old.aired).toHaveLength(1);
  });

  it('cancels what waits in the phone on MessageCancelled, and nothing that has left', async () => {
    list({ ...MESSAGE, id: 'first' }, { ...MESSAGE, id: 'second' });
    const storage = new AppStorage();
    storage.settings = { order: 'FIFO', sendInterval: 3_600 };
    const app = await start({ storage });
    await reported('Delivered');
    for (const id of ['first', 'second', 'unknown'])
      gateway.push(`event: MessageCancelled\ndata: ${JSON.stringify({ messageId: id })}\n\n`);
    await reported('Cancelled');
    expect(app.aired.map(({ id }) => id)).toEqual(['first']);
    expect(storage.sms.get('first')?.state).toBe('Delivered');
  });

  it('takes an event without a name as MessageEnqueued, and ignores unknown names and events without data', async () => {
    const app = await start({ version: '1.66.0' });
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 1,
    );
    gateway.push('event: MessageEnqueued\n\n');
    gateway.push(
      'event: Invented\ndata: {}\n\nevent: MessageCancelled\ndata: {"messageId":"x"}\n\n:keepalive\n\n',
    );
    gateway.push('data: {}\n\n');
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 2,
    );
    expect(app.events.map(({ name }) => name)).toEqual(['Invented', 'MessageCancelled', undefined]);
    expect(app.violations).toEqual(['unknown event Invented', 'unknown event MessageCancelled']);
    expect(app.streams.comments).toBe(1);
  });

  it('cancels and restarts a running fetch at each MessageEnqueued', async () => {
    const app = await start();
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 1,
    );
    gateway.push('event: MessageEnqueued\ndata: {}\n\n'.repeat(3));
    await eventually(
      () => app.fetcher.started,
      (count) => count === 4,
    );
    await eventually(
      () => app.fetcher.completed,
      (count) => count === 2,
    );
  });

  it('opens few connections for many reports at once, as OkHttp does', async () => {
    list(...Array.from({ length: 100 }, (_, index) => ({ ...MESSAGE, id: `message-${index}` })));
    await start();
    await reported('Delivered', 100);
    gateway.push('event: MessageEnqueued\ndata: {}\n\n'); // Known messages are reported again, all together.
    await reported('Delivered', 200);
    // Up to 11: the HTTP client opens another one before an answered one is free again.
    expect(gateway.maxOpenConnections).toBeLessThan(30);
  });

  it.each([
    ['another content type', { 'content-type': 'text/plain' }],
    ['a compressed stream', { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }],
  ])('refuses %s, and connects again', async (_name, headers) => {
    gateway.streamHeaders = headers;
    const app = await start();
    await eventually(
      () => gateway.streams.length,
      (count) => count > 1,
    );
    expect([app.streams.opened, app.streams.open]).toEqual([0, 0]);
  });

  it('connects again after 5 s, 30 s, then every 60 s, and keeps several streams', async () => {
    expect([1, 5, 6, 10, 11, 1_000].map(reconnectDelay)).toEqual([
      5_000, 5_000, 30_000, 30_000, 60_000, 60_000,
    ]);
    expect([0, 1, 2, 40].map(retryDelay)).toEqual([10_000, 20_000, 40_000, 18_000_000]);
    const app = await start();
    app.streams.add();
    await eventually(
      () => app.streams.open,
      (count) => count === 2,
    );
    app.streams.cut();
    expect(app.streams.open).toBe(0);
    await eventually(
      () => app.streams.open,
      (count) => count === 2,
    );
  });

  it('with the channel AUTO and a push token opens no stream, and fetches every 15 minutes', async () => {
    const app = await start({ channel: 'AUTO', pushToken: 'fcm-token', timeScale: 0.0002 });
    await eventually(
      () => app.fetcher.completed,
      (count) => count >= 3,
    );
    expect(gateway.bodiesOf('POST /device')).toEqual([expect.objectContaining({ pushToken: 'fcm-token' })]);
    expect(gateway.streams).toEqual([]);
    // The channel of the settings acts at the next start.
    app.storage.settings = { channel: 'SSE_ONLY' };
    apps.push(await app.restart());
    expect(gateway.bodiesOf('PATCH /device')).toEqual([
      expect.not.objectContaining({ pushToken: 'fcm-token' }),
    ]);
    await eventually(
      () => gateway.streams.length,
      (count) => count === 1,
    );
  });

  it('takes over the settings that are given, at once but for the channel', async () => {
    const messages = { send_interval_min: 2, limit_period: 'PerMinute', limit_value: 3, invented: 1 };
    gateway.answers.set('GET /settings', [200, { messages, gateway: { notification_channel: 'AUTO' } }]);
    const app = await start();
    expect(app.storage.settings).toEqual({
      channel: 'AUTO',
      sendInterval: 2,
      limitPeriod: 'PerMinute',
      limitValue: 3,
    });
    gateway.answers.set('GET /settings', [200, { webhooks: { signing_key: 'key' } }]);
    gateway.push('event: SettingsUpdated\ndata: {}\n\n');
    await eventually(
      () => app.storage.settings,
      ({ signingKey, limitValue }) => signingKey === 'key' && limitValue === 3,
    );
  });

  it.each([
    ['an enum that is not exact', { gateway: { notification_channel: 'sse_only' } }],
    [
      'a channel that this version does not know',
      { gateway: { notification_channel: 'SSE_ONLY' } },
      '1.52.0',
    ],
    ['a number below 1', { ping: { interval_seconds: 0 } }],
    ['an address', { gateway: { cloud_url: 'http://192.168.1.10/sms' } }],
  ])('refuses all settings by %s', async (_name, settings, version = '1.68.0') => {
    gateway.answers.set('GET /settings', [200, { webhooks: { signing_key: 'key' }, ...settings }]);
    const app = await start({ version });
    expect(app.storage.settings).toEqual({});
  });

  it.each([
    ['simNumber 9', { simNumber: 9 }, {}, 'SIM 9 not found'],
    [
      'a SIM without the permission',
      { simNumber: 1 },
      { phone: false },
      'SIM selection requires READ_PHONE_STATE permission',
    ],
    ['no permission for SMS', {}, { sendSms: false }, 'SEND_SMS'],
    ['a past validUntil', { validUntil: '2020-01-01T00:00:00.000Z' }, {}, 'TTL expired'],
  ])('fails %s', async (_name, fields, permissions, error) => {
    list({ ...MESSAGE, ...fields });
    const app = await start({ permissions: { sendSms: true, phone: true, ...permissions } });
    await reported('Failed');
    expect(gateway.bodiesOf('PATCH /message').at(-1)).toMatchObject([
      { recipients: [{ error: expect.stringContaining(error) as string }] },
    ]);
    expect(app.aired).toEqual([]);
  });

  it('repeats a report that was refused, and loses reports as told', async () => {
    list(MESSAGE);
    let answers = 0;
    gateway.answers.set('PATCH /message', () => [(answers += 1) % 2 === 1 ? 500 : 204]);
    const app = await start({ timeScale: 0.001 });
    await reported('Delivered');
    await eventually(
      () => app.storage.reports.size,
      (size) => size === 0,
    );
    app.stop();
    gateway.calls.splice(0);
    const silent = await start({ dropStateReports: 1 });
    await eventually(
      () => silent.storage.sms.get(MESSAGE.id)?.state,
      (state) => state === 'Delivered',
    );
    expect(states()).toEqual([]);
  });

  it('posts a received SMS with its own key until it has that of the settings, signed anew each time', async () => {
    gateway.answers.set('GET /webhooks', [
      200,
      [
        { id: 'recv', url: `${gateway.url}/hook`, event: 'sms:received' },
        { id: 'future', url: `${gateway.url}/hook`, event: 'app:started' },
      ],
    ]);
    let posts = 0;
    gateway.answers.set('POST /hook', () => [(posts += 1) < 3 ? 401 : 200]);
    gateway.answers.set('GET /settings', () => [posts < 2 ? 500 : 200, { webhooks: { signing_key: 'key' } }]);
    const app = await start({ version: '1.60.0' });
    app.receiveSms({ sender: '+447700900999', text: 'Good morning' });
    const isSignedBy = (key: string) => {
      const { text = '', headers } = gateway.callsOf('POST /hook').at(-1) ?? {};
      const signature = createHmac('sha256', key).update(`${text}${String(headers?.['x-timestamp'])}`);
      return headers?.['x-signature'] === signature.digest('hex');
    };
    await eventually(
      () => posts,
      (count) => count === 1,
    );
    expect(isSignedBy(app.storage.ownSigningKey)).toBe(true);
    await eventually(
      () => app.storage.posts.size,
      (size) => size === 0,
    );
    const [first, second] = gateway.bodiesOf('POST /hook');
    expect(first).toEqual(second);
    expect(first).toMatchObject({
      webhookId: 'recv',
      event: 'sms:received',
      deviceId: 'device-1',
      payload: {
        message: 'Good morning',
        sender: '+447700900999',
        phoneNumber: '+447700900999',
        simNumber: null,
      },
    });
    expect(app.violations).toEqual(['webhook future has an event that this version does not know']);
  });

  it('posts nothing over plain http but to 127.0.0.1, except as the insecure variant', async () => {
    const url = gateway.url.replace('127.0.0.1', '127.0.0.2');
    gateway.answers.set('GET /webhooks', [200, [{ id: 'recv', url: `${url}/hook`, event: 'sms:received' }]]);
    const app = await start();
    app.receiveSms({ sender: '1', text: 'a' });
    await eventually(
      () => app.errors,
      (errors) => errors.some((each) => each.includes('CLEARTEXT')),
    );
  });

  it('exports its inbox on request: all of it before 1.67, afterwards what it has not posted', async () => {
    gateway.answers.set('GET /webhooks', [
      200,
      [{ id: 'recv', url: `${gateway.url}/hook`, event: 'sms:received' }],
    ]);
    const texts = () =>
      gateway
        .bodiesOf('POST /hook')
        .map((body) => (body as { payload: { message: string } }).payload.message);
    const range = {
      since: new Date(Date.now() - 60_000).toISOString(),
      until: new Date(Date.now() + 60_000).toISOString(),
    };
    const request = { ...range, messageTypes: 'SMS', triggerWebhooks: 'true' };
    for (const [version, expected] of [
      ['1.66.0', ['live', 'live', 'missed']],
      ['1.68.0', ['live', 'missed']],
    ] as const) {
      gateway.calls.splice(0);
      gateway.streams.splice(0);
      const app = await start({ version });
      app.receiveSms({ sender: '1', text: 'live' });
      app.stop();
      app.receiveSms({ sender: '1', text: 'missed' });
      const again = await app.restart();
      apps.push(again);
      await eventually(
        () => again.streams.open,
        (open) => open === 1,
      );
      gateway.push(`event: MessagesExportRequested\ndata: ${JSON.stringify(request)}\n\n`);
      await eventually(
        () => texts().sort(),
        (all) => all.length === expected.length,
      );
      expect(texts().sort()).toEqual(expected);
      again.stop();
    }
  });

  it('writes dates with milliseconds and the offset of the phone', () => {
    const time = Date.parse('2026-11-25T23:55:00.120Z');
    expect([0, 120, -210].map((offset) => formatDate(time, offset))).toEqual([
      '2026-11-25T23:55:00.120Z',
      '2026-11-26T01:55:00.120+02:00',
      '2026-11-25T20:25:00.120-03:30',
    ]);
  });
});
