import http from 'node:http';
import net from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import request, { type Test } from 'supertest';
import { MAX_CONCURRENT_ANONYMOUS_REQUESTS } from '../../src/auth/limits/anonymous-request-limiter.service';
import { RequestRateLimiter } from '../../src/auth/limits/request-rate-limiter.service';
import { SignInService } from '../../src/auth/sessions/sign-in.service';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const LOGIN = '/api/v1/auth/login';

describe('hostile requests', () => {
  const services: TestService[] = [];
  const start = async (environment: Record<string, string>) => {
    const service = await TestService.start({ environment });
    services.push(service);
    return service;
  };
  afterAll(() => Promise.all(services.map((service) => service.stop())));
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;
  const send = (url: string, path: string, body: string | Buffer, headers: Record<string, string>) =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const call = http.request(`${url}${path}`, { method: 'POST', headers, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown });
        });
      });
      call.once('error', reject);
      call.end(body);
    });

  describe('request bodies', () => {
    let service: TestService;
    let client: TestClient;

    beforeAll(async () => {
      service = await start({ RATE_LIMIT_PER_ADDRESS: '0' });
      client = await service.newAccount();
      await client.newDevice();
    });

    const SEND = '/api/v1/gateway/send-sms';
    const BULK = '/api/v1/gateway/send-bulk-sms';
    const withKey = (headers = {}) => ({ 'x-api-key': client.apiKey, ...headers });
    const good = Buffer.from(JSON.stringify({ message: 'Hello', recipients: ['+4915112345678'] }));

    it.each([
      ['br', brotliCompressSync(good)],
      ['gzip', gzipSync(good)],
      ['deflate', good],
      ['gzip, br', good],
      ['nonsense', good],
    ])('are rejected if compressed: %s', async (encoding, body) => {
      for (const [path, headers] of [
        [SEND, withKey()],
        [LOGIN, {}],
      ] as const) {
        const answer = await send(service.url, path, body, { ...headers, 'content-encoding': encoding });
        expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_BODY']);
      }
    });

    it('may have Content-Encoding: identity', async () => {
      const answer = await send(service.url, SEND, good, withKey({ 'content-encoding': 'identity' }));
      expect(answer.status).toBe(200);
    });

    it('are rejected without decompressing or reading them', async () => {
      const { port } = new URL(service.url);
      const socket = net.connect(Number(port), '127.0.0.1');
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (data) => {
          resolve(data.toString());
        });
      });
      socket.write(
        `POST ${LOGIN} HTTP/1.1\r\nhost: x\r\ncontent-encoding: br\r\ncontent-length: 1000\r\n\r\n`,
      );
      expect(await answer).toMatch(/^HTTP\/1.1 400 /);
      socket.destroy();
    });

    it('of public routes are limited to 16 KB, with Content-Length or chunked', async () => {
      const body = JSON.stringify({ email: 'ada@example.com', password: 'x'.repeat(17_000) });
      const announced: Record<string, string> = { 'content-length': String(body.length) };
      for (const headers of [announced, { 'transfer-encoding': 'chunked' }]) {
        const answer = await send(service.url, LOGIN, body, headers);
        expect([answer.status, codeOf(answer)]).toEqual([400, 'BODY_TOO_LARGE']);
        expect((answer.body as { message: string }).message).toContain('16 KB');
      }
    });

    it('are rejected if they are not UTF-8', async () => {
      const before = await service.collection('messages').countDocuments();
      const latin1 = Buffer.from('{"message":"Grüße","recipients":["+4915112345678"]}', 'latin1');
      const answer = await send(service.url, SEND, latin1, withKey({ 'content-type': 'application/json' }));
      expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_BODY']);
      expect((answer.body as { message: string }).message).toContain('UTF-8');
      expect(await service.collection('messages').countDocuments()).toBe(before);
    });

    describe('as forms', () => {
      const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

      it.each([
        'message=Hello+there&recipients=%2B4915112345678',
        'message=Hello+there&recipients[]=%2B4915112345678',
      ])('are accepted with an API key: %s', async (form) => {
        const answer = await send(service.url, SEND, form, withKey(FORM));
        expect([answer.status, answer.body]).toMatchObject([200, { data: { recipientCount: 1 } }]);
      });

      it('may repeat a field', async () => {
        const form = 'message=Hello&recipients=%2B4915112345678&recipients=%2B4915112345679';
        const answer = await send(service.url, SEND, form, withKey(FORM));
        expect(answer.body).toMatchObject({ data: { recipientCount: 2 } });
      });

      it('may have bracketed fields, numbers and booleans', async () => {
        const form =
          'messages[0][message]=Hi&messages[0][recipients][]=%2B4915112345678&messages[0][simSubscriptionId]=1' +
          '&messages[1][message]=Ho&messages[1][recipients]=%2B4915112345679&messages[1][encrypted]=false';
        const answer = await send(service.url, BULK, form, withKey(FORM));
        expect([answer.status, answer.body]).toMatchObject([200, { data: { recipientCount: 2 } }]);
      });

      it.each([
        ['a number', SEND, 'message=&recipients=x', 'recipients.0'],
        [
          'one of an entry',
          BULK,
          'messages[0][message]=Hi&messages[0][recipients][0]=x',
          'messages.0.recipients.0',
        ],
        [
          'a misspelt field',
          BULK,
          'messages[0][messsage]=Hi&messages[0][recipients][0]=112',
          'messages.0.messsage',
        ],
        ['a flag', BULK, 'messages[0][message]=Hi&messages[0][encrypted]=yes', 'messages.0.encrypted'],
        [
          'a long list',
          SEND,
          Array.from({ length: 10_001 }, (_, i) => `recipients[${i}]=112`).join('&'),
          'recipients',
        ],
      ])('are validated like JSON: %s', async (_, route, form, field) => {
        const answer = await send(service.url, route, form, withKey(FORM));
        expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_FAILED']);
        const { details } = answer.body as { details: { field: string }[] };
        expect(details.map((each) => each.field)).toContain(field);
      });

      it('are rejected without an API key', async () => {
        const answer = await send(service.url, LOGIN, 'email=ada%40example.com&password=x', FORM);
        expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_BODY']);
      });
    });
  });

  describe('floods from one address', () => {
    it('of malformed bodies to a public route are answered with 429 before a body is read', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '5' });
      const signIn = jest.spyOn(service.get(SignInService), 'signIn');
      const statuses: number[] = [];
      for (let call = 0; call < 8; call++) statuses.push((await send(service.url, LOGIN, '{', {})).status);
      expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429]);
      expect(signIn).not.toHaveBeenCalled();
      // This body is never completed.
      const { port } = new URL(service.url);
      const socket = net.connect(Number(port), '127.0.0.1');
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (data) => {
          resolve(data.toString());
        });
      });
      socket.write(`POST ${LOGIN} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{`);
      expect(await answer).toMatch(/^HTTP\/1.1 429 /);
      socket.destroy();
    });

    it('do not count health checks', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '2' });
      const refused = jest.spyOn(service.get(RequestRateLimiter), 'countUnauthenticated');
      for (let call = 0; call < 5; call++)
        expect((await request(service.url).get('/health/live')).status).toBe(200);
      expect(refused).not.toHaveBeenCalled();
    });

    it('of endless bodies occupy a limited number of slots and release them', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '0' });
      const client = await service.newAccount();
      const { port } = new URL(service.url);
      const sockets = Array.from({ length: MAX_CONCURRENT_ANONYMOUS_REQUESTS + 3 }, () => {
        const socket = net.connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`POST ${LOGIN} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{`);
        return socket;
      });
      const answers: string[] = [];
      for (const socket of sockets) socket.on('data', (data) => answers.push(data.toString()));
      await eventually(
        () => answers.length,
        (count) => count === 3,
      );
      for (const answer of answers) {
        expect(answer).toMatch(/^HTTP\/1.1 429 /);
        expect(answer).toMatch(/\r\nretry-after: 1\r\n/i);
        expect(answer).toContain('TOO_MANY_CONCURRENT_REQUESTS');
      }
      // Phones with the same address are still served.
      expect((await client.get('/gateway/stats')).status).toBe(200);
      expect((await client.post('/gateway/devices', { brand: 'x' })).status).not.toBe(429);
      for (const socket of sockets) socket.destroy();
      const logIn = (): Test => request(service.url).post(LOGIN).send({ email: 'a@b.org', password: 'x' });
      await eventually(logIn, ({ status }) => status !== 429);
    });
  });
});
