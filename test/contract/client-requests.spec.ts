import { TestClient } from '../support/client';
import { TestService } from '../support/service';

const HELLO = { message: 'Hello', recipients: ['+4915112345678'] };

interface ErrorBody {
  readonly code?: string;
  readonly details?: { readonly field: string; readonly message: string }[];
}

describe('request bodies as clients send them', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const stored = () => service.collection('messages').countDocuments({ user: client.user });

  describe('rejects a misplaced or misspelt field and sends nothing', () => {
    const later = '2999-01-01T09:00:00Z';
    it.each<[string, string, object, string, RegExp]>([
      [
        'a time at the top level of a bulk send',
        'send-bulk-sms',
        { messages: [HELLO], scheduledAt: later },
        'scheduledAt',
        /did you mean scheduledAt in each entry of messages/,
      ],
      [
        'a misspelt time at the top level of a bulk send',
        'send-bulk-sms',
        { messages: [HELLO], scheduleAt: later },
        'scheduleAt',
        /did you mean scheduledAt/,
      ],
      [
        'a SIM at the top level of a bulk send',
        'send-bulk-sms',
        { messages: [HELLO], simSubscriptionId: 1 },
        'simSubscriptionId',
        /in each entry of messages/,
      ],
      [
        'a device inside an entry',
        'send-bulk-sms',
        { messages: [HELLO, { ...HELLO, deviceId: 'x' }] },
        'messages.1.deviceId',
        /did you mean deviceId beside messages/,
      ],
      [
        'a misspelt time',
        'send-sms',
        { ...HELLO, scheduleAt: later },
        'scheduleAt',
        /did you mean scheduledAt/,
      ],
      ['another case', 'send-sms', { ...HELLO, deviceID: 'x' }, 'deviceID', /did you mean deviceId/],
      [
        'another style',
        'send-sms',
        { ...HELLO, scheduled_at: later },
        'scheduled_at',
        /did you mean scheduledAt/,
      ],
      [
        'a field of another send',
        'send-sms',
        { ...HELLO, messageTemplate: 'x' },
        'messageTemplate',
        /did you mean messageTemplate of POST gateway\/send-bulk-sms/,
      ],
      [
        'a near name of this request that another has',
        'send-sms',
        { message: 'Hi', recipient: ['+4915112345678'] },
        'recipient',
        /did you mean recipients\?$/,
      ],
      [
        'a device in the query',
        'send-sms?deviceId=665f1c2ab7e1d4a9c0f3e812',
        HELLO,
        'deviceId',
        /must be in the request body/,
      ],
    ])('%s', async (_, route, body, field, text) => {
      const answer = await client.post(`/gateway/${route}`, body);
      const { code, details } = answer.body as ErrorBody;
      expect([answer.status, code, details?.map((each) => each.field)]).toEqual([
        400,
        'VALIDATION_FAILED',
        [field],
      ]);
      expect(details?.[0]?.message).toMatch(text);
      expect(await stored()).toBe(0);
    });
  });

  it('rejects the names of other gateways for a time, a deadline or a SIM, on every send', async () => {
    const names: readonly (readonly [field: string, names: readonly string[]])[] = [
      [
        'scheduledAt',
        ['sendAt', 'send_at', 'SendAt', 'schedule', 'scheduledTime', 'schedule_time', 'deliver-at'],
      ],
      ['validForSeconds', ['ttl', 'TTL', 'validity', 'validityPeriod', 'validity_period']],
      ['validUntil', ['expires', 'expiresAt', 'expiry']],
      ['simSubscriptionId', ['simNumber', 'simSlot', 'sim', 'sim_id', 'subscriptionId']],
    ];
    const expectField = async (route: string, body: object, field: string, text: string) => {
      const answer = await client.post(`/gateway/${route}`, body);
      expect([answer.status, (answer.body as ErrorBody).details]).toEqual([
        400,
        [{ field, message: `${field} ${text}` }],
      ]);
    };
    const noField = 'is not a field of this request; did you mean';
    for (const [ours, theirs] of names)
      for (const name of theirs)
        await expectField('send-sms', { ...HELLO, [name]: 60 }, name, `${noField} ${ours}?`);
    for (const [ours, [name = '']] of names) {
      const isOfEntry = ours === 'scheduledAt' || ours === 'simSubscriptionId';
      const inEntry = { messages: [HELLO, { ...HELLO, [name]: 60 }] };
      const beside = { messages: [HELLO], [name]: 60 };
      for (const route of ['send-bulk-sms', `devices/${device}/send-bulk-sms`]) {
        const meant = isOfEntry ? `messages.1.${ours}` : `${ours} beside messages`;
        const problem = isOfEntry ? noField : 'is misplaced; did you mean';
        await expectField(route, inEntry, `messages.1.${name}`, `${problem} ${meant}?`);
        const outside = isOfEntry
          ? `is misplaced; did you mean ${ours} in each entry of messages?`
          : `${noField} ${ours}?`;
        await expectField(route, beside, name, outside);
      }
      for (const route of ['estimates', `devices/${device}/send-sms`, `devices/${device}/sendSMS`])
        await expectField(route, { ...HELLO, [name]: 60 }, name, `${noField} ${ours}?`);
    }
    expect(await stored()).toBe(0);
    // Only sends: elsewhere such a field is ignored.
    expect((await client.post('/gateway/views', { name: 'x', query: '', ttl: 60 })).status).toBe(201);
  });

  it.each([
    ['unknown reference fields', { ...HELLO, messageId: '4711', reference: 'order', weight: 5 }],
    [
      'unrelated table columns',
      { ...HELLO, name: 'Ada', email: 'ada@example.com', id: 1, status: 'new', type: 'sms' },
    ],
    ['null values', { ...HELLO, scheduledAt: null, deviceId: null, messageTemplate: null, scheduleAt: null }],
  ])('accepts a send with %s', async (_, body) => {
    expect((await client.post('/gateway/send-sms', body)).status).toBe(200);
  });

  it('lists ignored fields in a sanitised, short header', async () => {
    const odd = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`colour ${index}\r\nX: 1ä`, 1]));
    const answer = await client.post('/gateway/send-sms?trace=1', { ...HELLO, reference: 5, ...odd });
    expect(answer.status).toBe(200);
    const header = String(answer.headers['x-ignored-fields']);
    expect(header).toMatch(/^reference, colour\?0\?\?X\?\?1\?, .*, \.\.\.$/);
    expect(header.length).toBeLessThan(600);
    const plain = await client.get('/gateway/stats?_=1767225600000');
    expect([plain.status, plain.headers['x-ignored-fields']]).toEqual([200, '_']);
    expect((await client.get('/gateway/stats')).headers).not.toHaveProperty('x-ignored-fields');
  });

  it('accepts unknown fields from phones', async () => {
    const unknown = { scheduledAt: 'x', statuss: 'x', deviceId: 'x', reportAttempt: 2, nested: { a: [1] } };
    const batch = await client.send(['+4915112345678']);
    const [message] = (await client.batch(device, batch)).messages;
    const answers = [
      await client.post('/gateway/devices', { ...unknown, brand: 'x', serial: 'y' }),
      await client.patch(`/gateway/devices/${device}`, { ...unknown, name: 'Mine' }),
      await client.post(`/gateway/devices/${device}/heartbeat`, { ...unknown, batteryPercentage: 5 }),
      await client.post(`/gateway/devices/${device}/receive-sms`, { ...unknown, sender: '1', message: 'x' }),
      await client.patch(`/gateway/devices/${device}/sms-status`, {
        ...unknown,
        smsId: message?._id,
        status: 'SENT',
      }),
      await client.post(`/gateway/devices/${device}/messages/ack`, { ...unknown, smsIds: [message?._id] }),
      await client.get(`/gateway/devices/${device}/messages?type=&statuss=x&deviceId=x`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 200]);
    expect(answers[2]?.headers['x-ignored-fields']).toBe(
      'scheduledAt, statuss, deviceId, reportAttempt, nested',
    );
  });

  it('rejects a deviceId that differs from the path', async () => {
    const other = await client.newDevice({ model: 'Other' });
    const send = (deviceId: string) =>
      client.post(`/gateway/devices/${device}/send-sms`, { ...HELLO, deviceId });
    expect((await send(device)).status).toBe(201);
    expect((await send(other)).status).toBe(400);
  });
});
