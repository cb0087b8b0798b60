import request from 'supertest';
import { TestClient } from '../support/client';
import { MailServer } from '../support/mail-server';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';

/** Conditions that would match any document. */
const OPERATORS = [{ $gt: '' }, { $ne: null }, { $exists: true }, { $regex: '.*' }, [{ $ne: null }]];

/** Texts that would be evaluated in an aggregation expression. */
const EXPRESSIONS = ['$user', '$$ROOT', '$$NOW', '$message', '$set', '$'];

interface Listed {
  data: { _id: string; message?: string; [field: string]: unknown }[];
}

describe('query injection', () => {
  let service: TestService;
  let mails: MailServer;
  let client: TestClient;
  let victim: TestClient;
  let device: string;
  let victimDevice: string;

  beforeAll(async () => {
    mails = await MailServer.start();
    service = await TestService.start({
      environment: { ALLOW_REGISTRATION: 'true', SMTP_URL: mails.url, MAIL_FROM: 'gateway@example.com' },
    });
    [client, victim] = [await service.newAccount(), await service.newAccount()];
    device = await client.newDevice();
    victimDevice = await victim.newDevice({
      serial: 'VICTIM',
      fcmToken: 'token-of-the-victim',
      pushTransport: 'fcm',
    });
    await victim.post(`/gateway/devices/${victimDevice}/receive-sms`, {
      sender: '+49151',
      message: 'secret',
    });
  });
  afterAll(async () => {
    await service.stop();
    await mails.close();
  });

  const rows = async (path: string) => ((await client.get(path)).body as Listed).data;

  describe('an operator instead of a value', () => {
    it.each(OPERATORS)('%j does not sign in to an account', async (operator) => {
      const visitor = new SessionClient(service.url);
      const owner = await visitor.register(`${JSON.stringify(operator).length}@example.com`, PASSWORD);
      const { _id: userId, email } = owner.session.user;
      const verificationCode = await mails.codeFor(email);
      await visitor.post('/auth/request-password-reset', { email });
      const otp = await mails.codeFor(email, 'Reset');
      const newPassword = 'staple battery horse';
      const attempts: [path: string, body: object][] = [
        ['login', { email: operator, password: PASSWORD }],
        ['login', { email, password: operator }],
        ['verify-email', { userId: operator, verificationCode }],
        ['verify-email', { userId, verificationCode: operator }],
        ['reset-password', { email: operator, otp, newPassword }],
        ['reset-password', { email, otp: operator, newPassword }],
        ['request-password-reset', { email: operator }],
      ];
      for (const [path, body] of attempts) {
        const { status } = await visitor.post(`/auth/${path}`, body);
        expect([path, status]).toEqual([path, 400]);
      }
      for (const change of [
        { oldPassword: operator, newPassword },
        { oldPassword: PASSWORD, newPassword: operator },
      ]) {
        expect((await owner.post('/auth/change-password', change)).status).toBe(400);
      }
      expect((await owner.get('/auth/who-am-i')).body).not.toHaveProperty('data.emailVerifiedAt');
      await visitor.logIn(email, PASSWORD);
    });

    it.each(['{"$ne":null}', '[object Object]', '{"$regex":".*"}', '$gt'])(
      '%s is not accepted as a key',
      async (text) => {
        for (const header of [{ 'x-api-key': text }, { authorization: `Bearer ${text}` }]) {
          expect((await request(service.url).get('/api/v1/gateway/stats').set(header)).status).toBe(401);
        }
        const query = `/api/v1/gateway/stats?x-api-key[$ne]=1&apiKey=${encodeURIComponent(text)}`;
        expect((await request(service.url).get(query)).status).toBe(401);
      },
    );

    it.each(OPERATORS)('%j matches no device and takes over no push token', async (operator) => {
      const before = await service.collection('devices').countDocuments();
      for (const facts of [
        { serial: operator },
        { fcmToken: operator },
        { brand: operator, model: 'x', buildId: 'x' },
      ]) {
        const answer = await client.post('/gateway/devices', { pushTransport: 'stream', ...facts });
        expect(answer.status).toBe(400);
        expect((await client.patch(`/gateway/devices/${device}`, facts)).status).toBe(400);
      }
      expect((await client.post(`/gateway/devices/${device}/heartbeat`, { fcmToken: operator })).status).toBe(
        400,
      );
      const stored = await service.collection('devices').findOne({ serial: 'VICTIM' });
      expect(stored).toMatchObject({ fcmToken: 'token-of-the-victim' });
      expect(await service.collection('devices').countDocuments()).toBe(before);
    });

    it.each(OPERATORS)('%j matches no message in reports and acknowledgements', async (operator) => {
      const batch = await client.send(['+4915112345678'], { deviceId: device });
      const report = await client.patch(`/gateway/devices/${device}/sms-status`, {
        smsId: operator,
        status: 'FAILED',
      });
      expect(report.status).toBe(400);
      const status = await client.patch(`/gateway/devices/${device}/sms-status`, {
        smsId: (await client.batch(device, batch)).messages[0]?._id,
        status: operator,
      });
      expect(status.status).toBe(400);
      for (const smsIds of [operator, [operator]]) {
        expect((await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds })).status).toBe(400);
      }
      const [message] = (await client.batch(device, batch)).messages;
      expect(message).not.toHaveProperty('failedAt');
      expect(message).not.toHaveProperty('pushReceivedAt');
    });

    it.each(OPERATORS)('%j is rejected as recipient and device', async (operator) => {
      const good = { message: 'Hello', recipients: ['+4915112345678'] };
      const before = await service.collection('batches').countDocuments();
      for (const wrong of [
        { message: operator },
        { recipients: operator },
        { recipients: [operator] },
        { deviceId: operator },
        { scheduledAt: operator },
        { simSubscriptionId: operator },
      ]) {
        expect((await client.post('/gateway/send-sms', { ...good, ...wrong })).status).toBe(400);
        const { deviceId, ...entry } = { deviceId: undefined, ...good, ...wrong };
        const bulk = { messages: [entry], deviceId };
        expect((await client.post('/gateway/send-bulk-sms', bulk)).status).toBe(400);
      }
      expect(await service.collection('batches').countDocuments()).toBe(before);
    });

    it.each(OPERATORS)(
      '%j is ignored as a fingerprint, so that uploads with it stay distinct',
      async (fingerprint) => {
        const upload = (message: string) =>
          client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', message, fingerprint });
        const [one, other] = [await upload(`1 ${JSON.stringify(fingerprint)}`), await upload('2')];
        const id = ({ body }: { body: unknown }) => (body as { data: { _id: string } }).data._id;
        expect([one.status, other.status]).toEqual([200, 200]);
        expect(id(one)).not.toBe(id(other));
        const textless = { sender: 'x', message: fingerprint };
        const ignored = await client.post(`/gateway/devices/${device}/receive-sms`, textless);
        expect(ignored.body).toMatchObject({ data: { ignored: true } });
        const unnamed = { sender: fingerprint, message: `y ${JSON.stringify(fingerprint)}` };
        const kept = await client.post(`/gateway/devices/${device}/receive-sms`, unnamed);
        expect(kept.body).toMatchObject({ data: { ignored: false } });
        expect(await client.message(device, id(kept))).toMatchObject({ sender: 'unknown' });
      },
    );

    it('in a query is rejected for known parameters and ignored for others', async () => {
      const all = (await rows('/gateway/messages')).map(({ _id }) => _id);
      expect(all.length).toBeGreaterThan(0);
      for (const query of ['user[$ne]=1', '$where=1', 'smsBatchId[$ne]='])
        expect((await rows(`/gateway/messages?${query}`)).map(({ _id }) => _id)).toEqual(all);
      for (const query of [
        'status[$ne]=x',
        'deviceIds[]=x',
        'deviceIds[$ne]=x',
        'search[$regex]=.*',
        'from[$gt]=1',
        'cursor[$gt]=x',
        'status=sent&status=failed',
        'deviceIds=x&deviceIds=y',
        'search=a&search=b',
        'order[]=asc&order=asc&order=desc',
        'status={"$ne":1}',
        'cursor={"$gt":""}',
        'limit={"$gt":0}',
      ]) {
        expect([query, (await client.get(`/gateway/messages?${query}`)).status]).toEqual([query, 400]);
      }
      expect((await client.get('/auth/api-keys?status[$ne]=active')).status).toBe(400);
    });

    it.each(['{"$ne":null}', '[$ne]', '$', '*', '..', `${'0'.repeat(23)}g`])(
      '%s in a path is rejected as an id',
      async (text) => {
        const id = encodeURIComponent(text);
        const paths = [
          `devices/${id}x`,
          `devices/${id}x/sms/${device}`,
          `devices/${device}/sms/${id}x`,
          `devices/${device}/sms-batch/${id}x`,
        ];
        for (const path of paths)
          expect([path, (await client.get(`/gateway/${path}`)).status]).toEqual([path, 400]);
      },
    );

    it('is a plain text in an idempotency key', async () => {
      const body = { message: 'Hello', recipients: ['+4915112345678'], deviceId: device };
      const send = (key: string) => client.post('/gateway/send-sms', body).set('idempotency-key', key);
      const first = await send('order-1');
      const other = await send('{"$ne":null}');
      expect(other.get('idempotency-replayed')).toBeUndefined();
      expect(other.body).not.toEqual(first.body);
      expect((await send('{"$ne":null}')).body).toEqual(other.body);
    });
  });

  describe('a text that begins with $', () => {
    it.each(EXPRESSIONS)('%s is stored unchanged', async (text) => {
      const phone = await client.newDevice({ name: text, brand: text, model: text });
      const heartbeat = {
        networkType: text,
        timezone: text,
        simInfo: { sims: [{ subscriptionId: 1, carrierName: text }] },
      };
      expect((await client.post(`/gateway/devices/${phone}/heartbeat`, heartbeat)).status).toBe(200);
      expect((await client.get(`/gateway/devices/${phone}`)).body).toMatchObject({
        data: {
          name: text,
          brand: text,
          networkInfo: { networkType: text },
          systemInfo: { timezone: text },
          simInfo: { sims: [{ carrierName: text }] },
        },
      });
      const batch = await client.send(['+4915112345678'], { deviceId: phone, message: text });
      const [sent] = (await client.batch(phone, batch)).messages;
      const error = { errorCode: text, errorMessage: text };
      expect((await client.report(phone, sent?._id ?? '', text, error)).status).toBe(200);
      expect(await client.message(phone, sent?._id ?? '')).toMatchObject({
        message: text,
        status: 'unknown',
        ...error,
      });
      const stored = await service.collection('messages').findOne({ message: text });
      expect(stored?.raised).toContain(`UNKNOWN_STATE:${text.toLowerCase()}`);

      await client.post(`/gateway/devices/${phone}/receive-sms`, {
        sender: text,
        message: text,
        fingerprint: text,
      });
      const received = await rows(`/gateway/devices/${phone}/messages?type=received`);
      expect(received).toMatchObject([{ sender: text, message: text }]);
      await (await service.signIn(client)).patch('/auth/update-profile', { name: text });
      expect((await client.get('/auth/who-am-i')).body).toMatchObject({ data: { name: text } });
    });
  });

  describe('a search term', () => {
    it('is not a regular expression', async () => {
      const phone = await client.newDevice();
      const texts = ['a.c', 'abc', 'a*', 'aaa', '(a+)+$', 'x|y', '$where', '\\', '[a-z]'];
      for (const message of texts) {
        await client.post(`/gateway/devices/${phone}/receive-sms`, { sender: '+49', message });
      }
      for (const text of texts) {
        const found = await rows(`/gateway/messages?deviceIds=${phone}&search=${encodeURIComponent(text)}`);
        expect(found.map(({ message }) => message)).toEqual(
          texts.filter((other) => other.includes(text)).reverse(),
        );
      }
      expect(await rows(`/gateway/messages?deviceIds=${phone}&search=${encodeURIComponent('.*')}`)).toEqual(
        [],
      );
    });
  });

  describe('prototype pollution', () => {
    it.each([
      '{"__proto__": {"polluted": true, "enabled": false}}',
      '{"constructor": {"prototype": {"polluted": true}}}',
      '{"simInfo": {"__proto__": {"polluted": true}, "sims": [{"subscriptionId": 1, "__proto__": {"iccId": "x"}}]}}',
    ])('%s in a body', async (text) => {
      const answers = [
        await client.patch(`/gateway/devices/${device}`, text).set('content-type', 'application/json'),
        await client
          .post(`/gateway/devices/${device}/heartbeat`, text)
          .set('content-type', 'application/json'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect({}).not.toHaveProperty('polluted');
      const answer = await client.get(`/gateway/devices/${device}`);
      expect(answer.body).toMatchObject({ data: { enabled: true } });
      expect(answer.text).not.toMatch(/polluted|iccId/);
    });

    it.each([
      '__proto__[polluted]=1',
      '__proto__.polluted=1',
      'constructor[prototype][polluted]=1',
      '__proto__=1',
    ])('%s in a query', async (query) => {
      expect((await client.get(`/gateway/messages?${query}`)).status).toBe(200);
      expect({}).not.toHaveProperty('polluted');
    });
  });
});
