import http, { type IncomingHttpHeaders } from 'node:http';
import request from 'supertest';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** HTTP behaviour that existing clients rely on. */
describe('the HTTP contract', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { RATE_LIMIT_PER_ADDRESS: '0' } });
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  /** Sends exactly these headers and bytes. */
  function raw(path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve, reject) => {
      const call = http.request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      call.on('error', reject);
      call.end(body);
    });
  }
  const keyed = (headers: Record<string, string | undefined> = {}): Record<string, string> => ({
    'x-api-key': client.apiKey,
    ...Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  const codeOf = ({ text }: Answer) => (JSON.parse(text) as { code?: string }).code;
  const SEND = '/api/v1/gateway/send-sms';
  const good = JSON.stringify({ message: 'Hello', recipients: ['+4915112345678'] });
  const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    raw(path, { method: 'POST', headers: keyed(headers), body });

  describe('a request body', () => {
    it.each([
      ['POST', () => `/api/v1/gateway/devices/${device}/set-default`],
      ['POST', () => `/api/v1/gateway/devices/${device}/heartbeat`],
    ])('may be empty with a JSON content type: %s', async (method, path) => {
      for (const headers of [{}, { 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const answer = await raw(path(), {
          method,
          headers: keyed({ 'content-type': 'application/json', ...headers }),
        });
        expect([headers, answer.status]).toEqual([headers, 200]);
      }
    });

    it('may be empty with a JSON content type: DELETE', async () => {
      for (const headers of [{}, { 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const path = `/api/v1/gateway/devices/${await client.newDevice()}`;
        const answer = await raw(path, {
          method: 'DELETE',
          headers: keyed({ 'content-type': 'application/json', ...headers }),
        });
        expect([headers, answer.status]).toEqual([headers, 200]);
      }
    });

    it('that is missing reports the required fields', async () => {
      for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
        const answer = await raw(SEND, { method: 'POST', headers: keyed(headers) });
        expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_FAILED']);
        expect(answer.text).toContain('"field":"message"');
      }
    });

    it.each([
      undefined,
      '',
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'application/vnd.api+json',
      'multipart/form-data',
      'nonsense',
      ';;;',
    ])('is parsed as JSON with the content type %s', async (type) => {
      const answer = await post(SEND, good, type === undefined ? {} : { 'content-type': type });
      expect([type, answer.status]).toEqual([type, 200]);
    });

    it('may be chunked and start with a byte order mark', async () => {
      const chunked = { 'transfer-encoding': 'chunked' };
      expect((await post(SEND, good, chunked)).status).toBe(200);
      expect((await post(SEND, `\uFEFF${good}`)).status).toBe(200);
      const text = 'Grüße 👋 from 東京';
      const body = JSON.stringify({ message: text, recipients: ['+4915112345678'] });
      const sent = JSON.parse((await post(SEND, body)).text) as { data: { smsBatchId: string } };
      const { messages } = await client.batch(device, sent.data.smsBatchId);
      expect(messages[0]?.message).toBe(text);
    });

    it.each([
      ['cut short', '{"message": "Hello", '],
      ['a list', '[{}]'],
      ['a text', '"text"'],
      ['a number', '5'],
      ['null', 'null'],
      ['no JSON', 'hello'],
    ])('that is %s is answered with 400 in the error format', async (_, body) => {
      const answer = await post(SEND, body, { 'content-type': 'application/json' });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'MALFORMED_BODY']);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['error', 'message', 'code']);
    });

    it.each([
      ['announced', {}],
      ['in chunks', { 'transfer-encoding': 'chunked' }],
    ])('over 2 MB is answered with 400: %s', async (_, headers: Record<string, string>) => {
      const body = JSON.stringify({ message: 'x'.repeat(2.2 * 1024 * 1024), recipients: [] });
      const answer = await post(SEND, body, headers);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'BODY_TOO_LARGE']);
    });

    it('may be almost 2 MB', async () => {
      const body = JSON.stringify({ message: 'x', recipients: ['x'.repeat(1_900_000)] });
      expect(codeOf(await post(SEND, body))).toBe('VALIDATION_FAILED');
    });

    it('is ignored with GET', async () => {
      const answer = await raw('/api/v1/gateway/stats', {
        headers: keyed({ 'content-type': 'application/json', 'content-length': '4' }),
        body: '{"a:',
      });
      expect([200, 400]).toContain(answer.status);
    });
  });

  describe('a path', () => {
    it.each(['/api/v1/gateway/stats', '/API/V1/Gateway/STATS', '/api/v1/gateway/stats/'])(
      'is case-insensitive and may end with a slash: %s',
      async (path) => {
        expect((await raw(path, { headers: keyed() })).status).toBe(200);
      },
    );

    it('may have a query, also after a trailing slash', async () => {
      expect((await raw('/api/v1/gateway/messages/?limit=1', { headers: keyed() })).status).toBe(200);
    });

    it('has the aliases of older apps', async () => {
      const upload = JSON.stringify({ sender: '+49151', message: 'Hi', receivedAtInMillis: Date.now() });
      const devices = `/api/v1/gateway/devices/${device}`;
      expect((await post(`${devices}/receiveSMS`, upload)).status).toBe(200);
      expect((await post(`${devices}/receivesms`, upload)).status).toBe(200);
      expect((await post(`${devices}/sendSMS`, good)).status).toBe(201);
      expect((await raw(`${devices}/get-received-sms`, { headers: keyed() })).status).toBe(200);
    });

    it('may have double slashes', async () => {
      expect((await raw('//api/v1//gateway/stats//', { headers: keyed() })).status).toBe(200);
    });

    it.each(['/api/v1/none?x=1', '/nowhere', '/api/v1/gateway'])(
      'that does not exist is answered with 404 and named without its query: %s',
      async (path) => {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await raw(path, { method, headers: keyed() });
          expect([path, method, answer.status]).toEqual([path, method, 404]);
          const text = `There is no ${method} ${path.replace(/\?.*/, '')}`;
          expect(JSON.parse(answer.text)).toEqual({ error: text, message: text, code: 'NOT_FOUND' });
        }
      },
    );

    it.each(['/api/v1/gateway/devices/%', '/api/v1/gateway/devices/%zz', '/%E0%A4%A'])(
      'that cannot be decoded is answered in the error format: %s',
      async (path) => {
        const answer = await raw(path, { headers: keyed() });
        expect([400, 404]).toContain(answer.status);
        expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['error', 'message', 'code']);
      },
    );

    it('with a parameter that is too long reports the parameter', async () => {
      const answer = await raw(`/api/v1/gateway/devices/${'x'.repeat(500)}`, { headers: keyed() });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'VALIDATION_FAILED']);
    });
  });

  describe('a response', () => {
    it('to HEAD equals the one to GET without its body', async () => {
      for (const path of ['/api/v1/gateway/stats', '/api/v1/none', '/health/live']) {
        const [get, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) => raw(path, { method, headers: keyed() })),
        );
        expect(head?.status).toBe(get?.status);
        expect(head?.text).toBe('');
        const length = Number(get?.headers['content-length']);
        // The 404 contains the method twice.
        expect(Number(head?.headers['content-length']) - length).toBe(path.endsWith('none') ? 2 : 0);
        for (const name of ['content-type', 'cache-control'])
          expect([path, name, head?.headers[name]]).toEqual([path, name, get?.headers[name]]);
      }
    });

    it.each([
      ['a success', () => raw('/api/v1/gateway/stats', { headers: keyed() })],
      ['a refusal of the key', () => raw('/api/v1/gateway/stats')],
      ['a refusal of the key before a body', () => raw(SEND, { method: 'POST', body: good })],
      ['a refusal of the body', () => post(SEND, 'nonsense')],
      ['a refusal of the input', () => post(SEND, '{}')],
      ['a 404', () => raw('/none')],
    ])('has a content type, a length, a request id and the headers of Helmet: %s', async (_, call) => {
      const { headers, text } = await call();
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
      expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'self'");
      for (const name of ['x-powered-by', 'etag', 'server']) expect(headers).not.toHaveProperty(name);
    });

    it('to a wrong key is sent before the body is validated', async () => {
      for (const body of ['nonsense', 'x'.repeat(3 * 1024 * 1024)]) {
        const answer = await raw(SEND, {
          method: 'POST',
          headers: { 'x-api-key': 'wrong', 'content-length': String(body.length), connection: 'close' },
          body,
        }).catch((failure: unknown) => failure as Error);
        if (!(answer instanceof Error)) expect(answer.status).toBe(401);
      }
    });

    it('keeps the connection open', async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const ports = new Set<number | undefined>();
      for (const [path, method, body] of [
        ['/api/v1/gateway/stats', 'GET', undefined],
        [SEND, 'POST', 'nonsense'],
        [SEND, 'POST', good],
        ['/none', 'GET', undefined],
        ['/api/v1/gateway/stats', 'HEAD', undefined],
      ] as const) {
        await new Promise<void>((resolve, reject) => {
          const call = http.request(
            `${service.url}${path}`,
            { method, agent, headers: keyed() },
            (answer) => {
              ports.add(answer.socket.localPort);
              answer.resume().once('end', resolve);
            },
          );
          call.once('error', reject);
          call.end(body);
        });
      }
      agent.destroy();
      expect(ports.size).toBe(1);
    });
  });

  describe('the API document', () => {
    it('is served as a page and as JSON', async () => {
      for (const path of ['/docs', '/docs/', '/DOCS']) {
        const page = await request(service.url).get(path);
        expect([path, page.status, page.headers['content-type']]).toEqual([
          path,
          200,
          expect.stringContaining('text/html'),
        ]);
      }
      for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'swagger-ui-init.js'])
        expect([file, (await request(service.url).get(`/docs/${file}`)).status]).toEqual([file, 200]);
      const json = await request(service.url).get('/docs-json');
      expect(json.headers['content-type']).toContain('application/json');
      expect(json.body).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) as string });
    });
  });

  it('an event stream keeps its headers', async () => {
    const { hostname, port } = new URL(service.url);
    const answer = await new Promise<IncomingHttpHeaders & { text: string }>((resolve, reject) => {
      const path = `/api/v1/gateway/devices/${device}/stream`;
      const call = http.get({ hostname, port, path, headers: keyed(), agent: false }, (response) => {
        response.once('data', (chunk: Buffer) => {
          resolve({ ...response.headers, text: chunk.toString() });
          call.destroy();
        });
      });
      call.on('error', reject);
    });
    expect(answer).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream(;|$)/) as string,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      text: ': connected\n\n',
    });
    expect(answer).not.toHaveProperty('content-length');
  });
});
