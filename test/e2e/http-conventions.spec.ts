import { createServer, request as httpRequest } from 'node:http';
import helmet from 'helmet';
import request from 'supertest';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';
import type { SessionClient } from '../support/session-client';

interface ErrorJson {
  error: string;
  message: string;
  code: string;
  details?: { field: string; message: string }[];
}

describe('the HTTP conventions', () => {
  let service: TestService;
  let client: TestClient;
  let person: SessionClient;
  let stranger: TestClient;
  let device: string;
  let foreignDevice: string;

  beforeAll(async () => {
    service = await TestService.start();
    client = await service.newAccount();
    person = await service.signIn(client);
    stranger = await service.newAccount();
    device = await client.newDevice();
    foreignDevice = await stranger.newDevice();
  });
  afterAll(() => service.stop());

  const send = (body: object | string) => client.post('/gateway/send-sms', body);
  const callerOf = (path: string) => (path.startsWith('/auth/') ? person : client);

  /** Number of stored documents: a rejected request must not add any. */
  async function stored(): Promise<number> {
    const counts = await Promise.all(
      ['batches', 'messages', 'devices'].map((name) => service.collection(name).countDocuments()),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  function expectError(body: unknown, code: string, field?: string): void {
    const error = body as ErrorJson;
    expect(error.code).toBe(code);
    expect(error.error).toBe(error.message);
    expect(error.message.length).toBeGreaterThan(0);
    if (field) expect(error.details?.map((detail) => detail.field)).toContain(field);
    expect(JSON.stringify(error)).not.toMatch(/\bat .*\.[jt]s|node_modules|MongoServerError/);
  }

  describe('without a valid key', () => {
    it.each([
      ['no key', {}],
      ['an unknown key', { 'x-api-key': 'mgw_thisKeyOpensNothingAtAll000000000' }],
      ['an empty key', { 'x-api-key': '' }],
    ])('responds with exactly the documented 401: %s', async (_, headers: Record<string, string>) => {
      for (const path of ['gateway/stats', 'gateway/devices', `gateway/devices/${device}`]) {
        const answer = await request(service.url).get(`/api/v1/${path}`).set(headers);
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ error: 'Unauthorized', code: 'AUTH_INVALID' });
      }
    });

    it('responds before the body is read', async () => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const call = httpRequest(`${service.url}/api/v1/gateway/send-sms`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': '1000' },
        });
        call.on('response', (answer) => {
          resolve(answer.statusCode);
          call.destroy();
        });
        call.on('error', reject);
        call.write('{'); // and never the rest
      });
      expect(status).toBe(401);
    });

    it('rejects a revoked key immediately', async () => {
      const other = await service.newAccount();
      expect((await other.get('/gateway/stats')).status).toBe(200);
      await service
        .collection('apikeys')
        .updateOne({ user: other.user }, { $set: { revokedAt: new Date() } });
      expect((await other.get('/gateway/stats')).status).toBe(401);
    });
  });

  describe('rejects an invalid send, names the field and stores nothing', () => {
    const good = { message: 'Hello', recipients: ['+4915112345678'] };
    it.each<[string, object | string, string, string | undefined]>([
      ['no fields', {}, 'VALIDATION_FAILED', 'message'],
      ['no recipients', { message: 'Hello' }, 'VALIDATION_FAILED', 'recipients'],
      ['no one in recipients', { ...good, recipients: [] }, 'VALIDATION_FAILED', 'recipients'],
      ['a text that is a number', { ...good, message: 5 }, 'VALIDATION_FAILED', 'message'],
      ['a text that is an operator', { ...good, message: { $gt: '' } }, 'VALIDATION_FAILED', 'message'],
      [
        'recipients as one text',
        { ...good, recipients: '+4915112345678' },
        'VALIDATION_FAILED',
        'recipients',
      ],
      ['a recipient that is a number', { ...good, recipients: [5] }, 'VALIDATION_FAILED', 'recipients.0'],
      [
        'a recipient with letters',
        { ...good, recipients: ['+49', 'abc'] },
        'VALIDATION_FAILED',
        'recipients.0',
      ],
      [
        'a recipient too long',
        { ...good, recipients: ['1234567890123456'] },
        'VALIDATION_FAILED',
        'recipients.0',
      ],
      ['1,601 characters', { ...good, message: 'x'.repeat(1601) }, 'VALIDATION_FAILED', 'message'],
      ['a malformed device', { ...good, deviceId: 'nope' }, 'VALIDATION_FAILED', 'deviceId'],
      ['a device that is an operator', { ...good, deviceId: { $ne: null } }, 'VALIDATION_FAILED', 'deviceId'],
      [
        'a SIM that is a text',
        { ...good, simSubscriptionId: 'one' },
        'VALIDATION_FAILED',
        'simSubscriptionId',
      ],
      [
        'a time without a zone',
        { ...good, scheduledAt: '2999-01-01T00:00:00' },
        'VALIDATION_FAILED',
        'scheduledAt',
      ],
      [
        'a time in the past',
        { ...good, scheduledAt: '2020-01-01T00:00:00Z' },
        'VALIDATION_FAILED',
        'scheduledAt',
      ],
      [
        'a time far ahead',
        { ...good, scheduledAt: '2999-01-01T00:00:00Z' },
        'VALIDATION_FAILED',
        'scheduledAt',
      ],
      ['broken JSON', '{"message": "Hello", ', 'MALFORMED_BODY', undefined],
      ['JSON that is no object', '[1, 2]', 'MALFORMED_BODY', undefined],
      ['more than 2 MB', { ...good, message: 'x'.repeat(2_200_000) }, 'BODY_TOO_LARGE', undefined],
    ])('%s', async (_, body, code, field) => {
      const before = await stored();
      const answer = await send(body).set('content-type', 'application/json');
      expect(answer.status).toBe(400);
      expectError(answer.body, code, field);
      expect(await stored()).toBe(before);
    });

    it('reports all invalid fields together', async () => {
      const answer = await send({ message: '', recipients: ['x'], deviceId: 'x', scheduledAt: 'soon' });
      const details = (answer.body as ErrorJson).details ?? [];
      expect(details.map(({ field }) => field)).toEqual([
        'message',
        'recipients.0',
        'scheduledAt',
        'deviceId',
      ]);
    });

    it('rejects too many recipients of one send or of all entries of a bulk send', async () => {
      const recipients = Array.from(
        { length: 10_001 },
        (_, index) => `+4915${String(index).padStart(8, '0')}`,
      );
      const single = await send({ ...good, recipients });
      expect(single.status).toBe(400);
      expectError(single.body, 'VALIDATION_FAILED', 'recipients');
      const half = { message: 'Hello', recipients: recipients.slice(0, 5_001) };
      const bulk = await client.post('/gateway/send-bulk-sms', { messages: [half, half] });
      expect(bulk.status).toBe(400);
      expectError(bulk.body, 'VALIDATION_FAILED', 'messages.1.recipients');
    });

    it('names the invalid entry of a bulk send', async () => {
      const answer = await client.post('/gateway/send-bulk-sms', {
        messages: [good, { ...good, recipients: ['x'] }, {}],
      });
      expect(answer.status).toBe(400);
      const fields = ((answer.body as ErrorJson).details ?? []).map(({ field }) => field);
      expect(fields).toEqual(['messages.1.recipients.0', 'messages.2']);
    });
  });

  describe('ids', () => {
    const unknown = '665f1c2ab7e1d4a9c0f3e812';
    const routes = (
      id: string,
      other: string,
    ): [method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object][] => [
      ['get', `/gateway/devices/${id}`],
      ['patch', `/gateway/devices/${id}`, { name: 'Mine now' }],
      ['delete', `/gateway/devices/${id}`],
      ['post', `/gateway/devices/${id}/set-default`],
      ['post', `/gateway/devices/${id}/heartbeat`, { batteryPercentage: 5 }],
      ['post', `/gateway/devices/${id}/receive-sms`, { sender: 'x', message: 'y' }],
      ['patch', `/gateway/devices/${id}/sms-status`, { smsId: other, status: 'SENT' }],
      ['post', `/gateway/devices/${id}/messages/ack`, { smsIds: [other] }],
      ['get', `/gateway/devices/${id}/stream`],
      ['get', `/gateway/devices/${id}/sms/${other}`],
      ['get', `/gateway/devices/${id}/messages`],
      ['get', `/gateway/devices/${id}/messages/pending`],
      ['get', `/gateway/devices/${id}/get-received-sms`],
      ['post', `/gateway/devices/${id}/send-sms`, { message: 'x', recipients: ['111'] }],
      ['post', `/gateway/devices/${id}/send-bulk-sms`, { messages: [{ message: 'x', recipients: ['111'] }] }],
      ['post', `/gateway/devices/${id}/sms-batch/${other}/cancel`],
      ['post', `/auth/api-keys/${id}/revoke`],
      ['patch', `/auth/api-keys/${id}/rename`, { name: 'Mine' }],
      ['delete', `/auth/api-keys/${id}`],
      ['get', `/gateway/devices/${id}/sms-batch/${other}`],
    ];

    it('a malformed id is answered with 400 and named', async () => {
      for (const [method, path, body] of routes('not-an-id', unknown)) {
        const answer = await callerOf(path)[method](path, body ?? {});
        expect([path, answer.status]).toEqual([path, 400]);
        expectError(answer.body, 'VALIDATION_FAILED', 'id');
      }
      for (const [kind, field] of [
        ['sms', 'smsId'],
        ['sms-batch', 'smsBatchId'],
      ] as const) {
        const answer = await client.get(`/gateway/devices/${device}/${kind}/123`);
        expect(answer.status).toBe(400);
        expectError(answer.body, 'VALIDATION_FAILED', field);
      }
    });

    it('an id of another account is answered like an unknown id and changes nothing', async () => {
      const theirBatch = await stranger.send(['+4915112345678']);
      const theirs = await stranger.batch(foreignDevice, theirBatch);
      const theirMessage = theirs.messages[0]?._id ?? '';
      const before = (await stranger.get(`/gateway/devices/${foreignDevice}`)).body as unknown;
      const toForeign = [...routes(foreignDevice, theirMessage), ...routes(device, theirMessage).slice(6, 7)];
      const toUnknown = [...routes(unknown, unknown), ...routes(device, unknown).slice(6, 7)];
      for (const [index, [method, path, body]] of toForeign.entries()) {
        const foreign = await callerOf(path)[method](path, body ?? {});
        const [, unknownPath, unknownBody] = toUnknown[index] ?? [];
        const never = await callerOf(path)[method](unknownPath ?? '', unknownBody ?? {});
        expect([path, foreign.status]).toEqual([path, 404]);
        expect(foreign.body).toEqual(never.body);
      }
      expect((await stranger.get(`/gateway/devices/${foreignDevice}`)).body).toEqual(before);
      expect((await stranger.message(foreignDevice, theirMessage)).sentAt).toBeUndefined();
    });

    it('a message of another account in an acknowledgement is treated as unknown', async () => {
      const theirBatch = await stranger.send(['+4915112345678']);
      const [theirs] = (await stranger.batch(foreignDevice, theirBatch)).messages;
      const acknowledge = (smsId: string) =>
        client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [smsId] });
      const foreign = await acknowledge(theirs?._id ?? '');
      expect([foreign.status, foreign.body]).toEqual([200, { data: { acknowledged: 0 } }]);
      expect((await acknowledge(unknown)).body).toEqual(foreign.body);
      expect(await stranger.message(foreignDevice, theirs?._id ?? '')).not.toHaveProperty('pushReceivedAt');
    });

    it('a send from a device of another account is answered with 404 and not sent', async () => {
      const before = await stored();
      const answer = await send({
        message: 'Hello',
        recipients: ['+4915112345678'],
        deviceId: foreignDevice,
      });
      expect(answer.status).toBe(404);
      expectError(answer.body, 'DEVICE_NOT_FOUND');
      expect(await stored()).toBe(before);
    });

    it('a batch or message is not found under another device of the account', async () => {
      const other = await client.newDevice({ model: 'Other' });
      const batch = await client.send(['+4915112345678'], { deviceId: device });
      const [message] = (await client.batch(device, batch)).messages;
      expect((await client.get(`/gateway/devices/${other}/sms-batch/${batch}`)).status).toBe(404);
      expect((await client.get(`/gateway/devices/${other}/sms/${message?._id ?? ''}`)).status).toBe(404);
    });
  });

  it('responds to an unknown route with 404 in the error format', async () => {
    const answer = await client.get('/gateway/nothing-here');
    expect(answer.status).toBe(404);
    expectError(answer.body, 'NOT_FOUND');
  });

  it('ignores unknown fields', async () => {
    const answer = await send({
      message: 'Hello',
      recipients: ['+4915112345678'],
      colour: 'blue',
      $where: '1',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-ignored-fields']).toBe('colour, $where');
  });

  it.each([
    '/gateway/stats',
    '/gateway/messages',
    '/gateway/devices',
    '/billing/current-subscription',
    '/none',
  ])('sends a correct Content-Length, also for HEAD: %s', async (path) => {
    await send({ message: 'Grüße 👋', recipients: ['+4915112345678'] });
    const answer = await client.get(path);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    const head = await request(service.url).head(`/api/v1${path}`).set('x-api-key', client.apiKey);
    expect(head.status).toBe(answer.status);
    expect(Object.keys(head.headers).sort()).toEqual(Object.keys(answer.headers).sort());
  });

  it('sends the headers of Helmet with every response', async () => {
    const set = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
    const server = createServer((message, response) => {
      set(message, response, () => response.end());
    });
    const { headers } = await request(server).get('/');
    const names = Object.keys(headers).filter(
      (name) => !/^(content-(length|type)|connection|date|etag)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(10);
    const expected = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    const answers = [
      client.get('/gateway/stats'),
      client.get('/none'),
      request(service.url).get('/health/live'),
    ];
    for (const answer of answers) expect((await answer).headers).toMatchObject(expected);
  });

  it('forbids caching', async () => {
    const key = await person.post('/auth/api-keys', { name: 'Uncached' });
    expect((key.body as { data: { apiKey?: string } }).data).toEqual(expect.anything());
    const answers = [
      key,
      await person.post('/auth/login', { email: 'nobody@example.com', password: 'not the password' }),
      await client.get('/gateway/stats'),
      await request(service.url).get('/API/v1/gateway/stats'),
    ];
    expect(answers.map((answer) => [answer.status < 500, answer.get('cache-control')])).toEqual(
      answers.map(() => [true, 'no-store']),
    );
  });

  it('accepts a body without a content type', async () => {
    const answer = await send(JSON.stringify({ message: 'Hello', recipients: ['123'] })).set(
      'content-type',
      'text/plain',
    );
    expect(answer.status).toBe(200);
  });
});
