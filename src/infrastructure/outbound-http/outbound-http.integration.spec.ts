import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

describe('OutboundHttp', () => {
  const names = new ScriptedLookup({
    'hooks.test': [['127.0.0.1']],
    'two-addresses.test': [['127.0.0.9', '127.0.0.1']],
    'busy.test': ['EAI_AGAIN'],
    'empty.test': [[]],
  });
  let outbound: OutboundHttp;
  let target: WebhookTarget | undefined;

  beforeEach(() => {
    outbound = new OutboundHttp(new AddressPolicy(['127.0.0.0/8']), names, {});
  });

  afterEach(async () => {
    outbound.onApplicationShutdown();
    await target?.close();
    target = undefined;
  });

  const answering = async (listener: RequestListener): Promise<WebhookTarget> => {
    target = await WebhookTarget.http(listener);
    return target;
  };

  const raw = async (...script: Parameters<typeof WebhookTarget.raw>): Promise<WebhookTarget> => {
    target = await WebhookTarget.raw(...script);
    return target;
  };

  const post = (url: string, body: string | Buffer = '{}') => outbound.post(url, {}, Buffer.from(body));

  it('sends the exact bytes, their length, and the given headers', async () => {
    const seen: { method?: string; url?: string; headers?: IncomingHttpHeaders; body?: Buffer } = {};
    const { port } = await answering((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        Object.assign(seen, request, { body: Buffer.concat(chunks) });
        seen.headers = request.headers;
        response.end('thanks');
      });
    });
    const body = Buffer.from([0x7b, 0x00, 0xff, 0xc3, 0xa9, 0x0d, 0x0a, 0x7d]);
    const headers = { 'content-type': 'application/json', 'x-signature': 'v1,abc=' };
    const result = await outbound.post(`http://hooks.test:${port}/a/b?c=d%20e`, headers, body);
    expect(result).toEqual({ kind: 'answered', status: 200, body: 'thanks' });
    expect(seen.method).toBe('POST');
    expect(seen.url).toBe('/a/b?c=d%20e');
    expect(seen.body).toEqual(body);
    expect(seen.headers).toMatchObject({ ...headers, host: `hooks.test:${port}`, 'content-length': '8' });
    expect(seen.headers).not.toHaveProperty('transfer-encoding');
  });

  it('sends an empty body', async () => {
    let length: string | undefined;
    const { port } = await answering((request, response) => {
      length = request.headers['content-length'];
      response.end();
    });
    expect(await post(`http://127.0.0.1:${port}/`, '')).toEqual({ kind: 'answered', status: 200, body: '' });
    expect(length).toBe('0');
  });

  it.each([200, 201, 204, 304, 400, 404, 408, 410, 429, 500, 503, 599])(
    'returns status %d',
    async (status) => {
      const { port } = await answering((_request, response) => response.writeHead(status).end());
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'answered', status, body: '' });
    },
  );

  it.each(['120', 'Wed, 21 Oct 2026 07:28:00 GMT', 'soon'])('returns Retry-After: %s', async (retryAfter) => {
    const { port } = await answering((_request, response) =>
      response.writeHead(503, { 'retry-after': retryAfter }).end('later'),
    );
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toEqual({ kind: 'answered', status: 503, retryAfter, body: 'later' });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %d', async (status) => {
    const elsewhere = await WebhookTarget.http((_request, response) => response.end());
    const { port } = await answering((_request, response) =>
      response.writeHead(status, { location: elsewhere.url() }).end(),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'answered', status, body: '' });
    expect(elsewhere.connections).toBe(0);
    await elsewhere.close();
  });

  it('returns 1,000 characters of the body, however many bytes each takes', async () => {
    const { port } = await answering((_request, response) => response.end(`é€😀${'😀'.repeat(5_000)}`));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ body: `é€😀${'😀'.repeat(997)}` });
  });

  it('accepts a response that ends when the connection closes', async () => {
    const { port } = await raw('HTTP/1.0 200 OK\r\n\r\nuntil the end');
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, body: 'until the end' });
  });

  describe('with an endless response', () => {
    it('stops at 64 KiB and drops the connection', async () => {
      let written = 0;
      let closed = false;
      const { port } = await answering((_request, response) => {
        const chunk = Buffer.alloc(16_384, 'x');
        const write = () => {
          while (!response.destroyed && response.write(chunk)) written += chunk.length;
          written += chunk.length;
        };
        response.on('drain', write).on('close', () => (closed = true));
        write();
      });
      const results = await Promise.all([1, 2, 3, 4].map(() => post(`http://127.0.0.1:${port}/`)));
      for (const result of results)
        expect(result).toEqual({ kind: 'answered', status: 200, body: 'x'.repeat(1_000) });
      await eventually(
        () => closed && target?.openConnections === 0,
        (over) => over,
      );
      await sleep(100);
      expect(target?.connections).toBe(4);
      // Socket buffers fill up; a client that kept reading would receive far more.
      expect(written).toBeLessThan(4 * 16 * 1_024 * 1_024);
    });

    it('does not keep more in memory', async () => {
      const { port } = await answering((_request, response) => {
        const chunk = Buffer.alloc(65_536, 'x');
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        write();
      });
      await post(`http://127.0.0.1:${port}/`);
      const before = process.memoryUsage().arrayBuffers;
      for (let round = 0; round < 50; round++) await post(`http://127.0.0.1:${port}/`);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1_024 * 1_024);
    });
  });

  describe('fails', () => {
    it.each([
      ['is closed before a response', ''],
      ['is closed within the headers', 'HTTP/1.1 200 OK\r\nContent-'],
      ['is closed short of Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
      [
        'is closed short of Content-Length, as announced',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf',
      ],
      ['is closed between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
      ['is closed within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf'],
      [
        'is closed between chunks, as announced',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      ],
    ])('when the connection %s', async (_, text) => {
      const { port } = await raw(text);
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
        kind: 'failed',
        reason: 'the connection was closed before the response was complete',
      });
    });

    it.each([
      ['before a response', ''],
      ['short of Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
      [
        'short of Content-Length, as announced',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf',
      ],
      [
        'between chunks, as announced',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      ],
    ])('when the connection is reset %s', async (_, text) => {
      const { port } = await raw(text, 'reset');
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
        kind: 'failed',
        reason: expect.stringMatching(
          /^the connection was (reset|closed before the response was complete)$/,
        ) as string,
      });
    });

    it.each([
      ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n'],
      ['a broken status line', 'HTTP/1.1 2OO OK\r\n\r\n'],
      ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
      ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ])('on %s instead of a response', async (_, text) => {
      const { port } = await raw(text, 'stay');
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
        kind: 'failed',
        reason: 'the response is not valid HTTP',
      });
    });

    it('on huge headers', async () => {
      const { port } = await raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`);
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual({
        kind: 'failed',
        reason: 'the headers of the response are too large',
      });
      await eventually(
        () => target?.openConnections,
        (open) => open === 0,
      );
    });

    it('when nobody listens', async () => {
      const { port } = await answering((_request, response) => response.end());
      await target?.close();
      for (const host of ['127.0.0.1', 'hooks.test', 'two-addresses.test'])
        expect(await post(`http://${host}:${port}/`)).toEqual({
          kind: 'failed',
          reason: 'connection refused',
        });
      target = undefined;
    });

    it.each([
      ['nowhere.test', 'the host name does not exist'],
      ['empty.test', 'the host name does not exist'],
      ['busy.test', 'the DNS lookup of the host name failed'],
    ])('for %s: %s', async (host, reason) => {
      expect(await post(`http://${host}/`)).toEqual({ kind: 'failed', reason });
    });

    it('on invalid headers, without throwing', async () => {
      const { port, connections } = await answering((_request, response) => response.end());
      const result = await outbound.post(
        `http://127.0.0.1:${port}/`,
        { 'x-bad': 'a\r\nb: c' },
        Buffer.from(''),
      );
      expect(result).toMatchObject({ kind: 'failed' });
      expect(connections).toBe(0);
    });
  });

  it('tries the next address of a host name when one does not answer', async () => {
    target = await WebhookTarget.http((_request, response) => response.end('here'), '127.0.0.1');
    expect(await post(target.url('two-addresses.test'))).toMatchObject({ kind: 'answered', body: 'here' });
  });

  it('reuses an idle connection for 2 s at most, whatever Keep-Alive the server sends', async () => {
    const { port } = await answering((_request, response) =>
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=60' }).end(),
    );
    await post(`http://hooks.test:${port}/`);
    await sleep(50);
    await post(`http://hooks.test:${port}/`);
    expect(target?.connections).toBe(1);
    await eventually(
      () => target?.openConnections,
      (open) => open === 0,
      5_000,
    );
    expect(await post(`http://hooks.test:${port}/`)).toMatchObject({ kind: 'answered' });
    expect(target?.connections).toBe(2);
  });

  it('opens a new connection after the server has closed the old one', async () => {
    const { port } = await answering((_request, response) => {
      response.end('ok');
      setImmediate(() => response.socket?.end());
    });
    for (let round = 0; round < 20; round++) {
      expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'answered', body: 'ok' });
      await sleep(20);
    }
  });

  it('does not queue behind other requests to the same server', async () => {
    let waiting = 0;
    const { port } = await answering((request, response) => {
      if (request.url === '/fast') response.end();
      else waiting++;
    });
    const slow = Array.from({ length: 100 }, () => post(`http://127.0.0.1:${port}/slow`));
    await eventually(
      () => waiting,
      (count) => count === 100,
    );
    expect(await post(`http://127.0.0.1:${port}/fast`)).toMatchObject({ kind: 'answered' });
    await target?.close();
    for (const result of await Promise.all(slow)) expect(result).toMatchObject({ kind: 'failed' });
    target = undefined;
  });

  it('keeps at most 64 idle connections to a server', async () => {
    const waiting: ServerResponse[] = [];
    const { port } = await answering((_request, response) => {
      waiting.push(response);
      if (waiting.length === 100) for (const each of waiting) each.end();
    });
    const results = await Promise.all(Array.from({ length: 100 }, () => post(`http://127.0.0.1:${port}/`)));
    for (const result of results) expect(result).toMatchObject({ kind: 'answered' });
    await eventually(
      () => target?.openConnections,
      (open) => open === 64,
    );
  });

  it('aborts requests on shutdown', async () => {
    let came = 0;
    const { port } = await answering(() => came++);
    const silent = new ScriptedLookup({ 'silent.test': ['no response'] });
    const closing = new OutboundHttp(new AddressPolicy(['127.0.0.0/8']), silent, {});
    const results = [`http://127.0.0.1:${port}/`, 'http://silent.test/'].map((url) =>
      closing.post(url, {}, Buffer.from('{}')),
    );
    await eventually(
      () => came,
      (count) => count === 1,
    );
    closing.onApplicationShutdown();
    for (const result of await Promise.all(results))
      expect(result).toEqual({ kind: 'failed', reason: 'the gateway was shutting down' });
    expect(await closing.post(`http://127.0.0.1:${port}/`, {}, Buffer.from(''))).toMatchObject({
      kind: 'failed',
    });
    await eventually(
      () => target?.openConnections,
      (open) => open === 0,
    );
  });
});
