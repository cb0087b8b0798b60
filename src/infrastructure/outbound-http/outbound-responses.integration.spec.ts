import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { eventually } from '../../../test/support/eventually';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

/** Waits until what was written before is read on its own. */
const PAUSE = 'pause';

describe('responses to OutboundHttp', () => {
  let outbound: OutboundHttp;
  let target: WebhookTarget | undefined;

  beforeEach(() => {
    outbound = new OutboundHttp(new AddressPolicy(['127.0.0.0/8']), new ScriptedLookup({}), {});
  });
  afterEach(async () => {
    outbound.onApplicationShutdown();
    await target?.close();
    target = undefined;
  });

  async function write(socket: Socket, parts: readonly (string | Buffer)[]) {
    for (const part of parts)
      if (part === PAUSE) await new Promise((resolve) => setTimeout(resolve, 20));
      else socket.write(part);
  }

  /** An endpoint that answers every request on a connection with these parts, and leaves it open. */
  const answering = async (...parts: (string | Buffer)[]) => {
    target = await WebhookTarget.tcp((socket) => {
      socket.setNoDelay(true);
      socket.on('data', () => void write(socket, parts));
    });
    return target;
  };

  const post = async () => outbound.post(target?.url() ?? '', {}, Buffer.from('{}'));

  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const answered = (status: number, body = '') => ({ kind: 'answered', status, body });

  describe('without content', () => {
    it.each([204, 205, 304])('%d counts by its status alone', async (status) => {
      const head = `HTTP/1.1 ${status} Whatever\r\n`;
      for (const parts of [
        [`${head}\r\n`],
        [`${head}Content-Length: 0\r\n\r\n`],
        [`${head}Content-Length: 2\r\n\r\nok`],
        [`${head}Content-Length: 2\r\n\r\n`, PAUSE, 'ok'],
        [`${head}Content-Length: 1000\r\n\r\n`],
        [`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
        [`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
        [`${head}Transfer-Encoding: chunked\r\n\r\nno chunk`],
        [`${head}\r\nok`],
        [`${head}Connection: close\r\nContent-Length: 2\r\n\r\nok`],
        [`${head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok`],
      ]) {
        const { connections } = await answering(...parts);
        expect(connections).toBe(0);
        for (const round of [1, 2])
          expect({ round, ...(await post()) }).toEqual({ round, ...answered(status) });
        await target?.close();
      }
    });

    it.each([204, 205, 304])('%d counts, and what comes later ends its connection', async (status) => {
      await answering(`HTTP/1.1 ${status} Whatever\r\n\r\n`, PAUSE, 'ok');
      for (const connections of [1, 2]) {
        expect(await post()).toEqual(answered(status));
        expect(target?.connections).toBe(connections);
        await eventually(
          () => target?.openConnections,
          (open) => open === 0,
        );
      }
    });

    it.each([204, 205, 304])('%d counts when the connection is cut after its headers', async (status) => {
      for (const afterwards of ['end', 'reset'] as const) {
        target = await WebhookTarget.raw(`HTTP/1.1 ${status} x\r\nContent-Length: 9\r\n\r\n`, afterwards);
        expect(await post()).toEqual(answered(status));
        await target.close();
      }
    });

    it('reuses the connection of a plain 204 only', async () => {
      await answering('HTTP/1.1 204 No Content\r\n\r\n');
      await post();
      await post();
      expect(target?.connections).toBe(1);
      await target?.close();
      await answering('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n');
      await post();
      await post();
      expect(target?.connections).toBe(2);
    });
  });

  it.each([
    ['100', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['102', ['HTTP/1.1 102 Processing\r\n\r\n']],
    ['103', ['HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n']],
    [
      'several',
      ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.0 100 \r\n\r\n'],
    ],
    [
      'split',
      ['HTT', PAUSE, 'P/1.1 10', PAUSE, '0 Continue\r\nX: y\r', PAUSE, '\n\r', PAUSE, '\nHTTP/1.1', PAUSE],
    ],
  ] as const)('skips interim responses: %s', async (_, parts) => {
    const [last = ''] = parts.slice(-1);
    const rest = last === PAUSE ? OK.slice('HTTP/1.1'.length) : OK;
    await answering(...parts, rest);
    // On a reused connection too.
    expect(await post()).toEqual(answered(200, 'ok'));
    expect(await post()).toEqual(answered(200, 'ok'));
    expect(target?.connections).toBe(1);
  });

  it('skips an interim response before one without content', async () => {
    await answering('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok');
    expect(await post()).toEqual(answered(204));
  });

  it('fails when only an interim response came', async () => {
    for (const text of ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\n', 'HTTP/1.1 20']) {
      target = await WebhookTarget.raw(text);
      expect(await post()).toEqual({
        kind: 'failed',
        reason: 'the connection was closed before the response was complete',
      });
      await target.close();
    }
  });

  it('accepts a response with garbage behind it, and does not use its connection again', async () => {
    await answering(`${OK}garbage\r\n\r\n`);
    expect(await post()).toEqual(answered(200, 'ok'));
    expect(await post()).toEqual(answered(200, 'ok'));
    expect(target?.connections).toBe(2);
  });

  describe('that are compressed', () => {
    const withBody = (encoding: string, body: Buffer) => [
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    ];
    const text = `{"ok":"schön"}`;

    it.each([
      ['gzip', gzipSync(text)],
      ['X-GZip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['br', brotliCompressSync(text)],
      [' GZIP ', gzipSync(text)],
      ['identity', Buffer.from(text)],
    ])('returns the text of %s', async (encoding, body) => {
      await answering(...withBody(encoding, body));
      expect(await post()).toEqual(answered(200, text));
    });

    it('returns an empty text', async () => {
      await answering(...withBody('gzip', gzipSync('')));
      expect(await post()).toEqual(answered(200));
    });

    it.each([
      ['gzip', 'not gzip at all'],
      ['br', 'not brotli'],
      ['deflate', 'not deflated'],
      ['zstd', 'of an unknown encoding'],
      ['gzip, gzip', 'of two'],
    ])('returns what it cannot read as it is: %s', async (encoding, body) => {
      await answering(...withBody(encoding, Buffer.from(body)));
      expect(await post()).toEqual(answered(200, body));
    });

    it('returns the readable part of a damaged body', async () => {
      const body = gzipSync(
        Buffer.from(Array.from({ length: 20_000 }, (_, index) => 97 + ((index % 7) ** 2 % 26))),
      );
      body.fill(0xff, Math.floor(body.length * 0.9));
      await answering(...withBody('gzip', body));
      expect(await post()).toMatchObject({
        status: 200,
        body: expect.stringMatching(/^[a-z]{1000}$/) as string,
      });
    });

    it.each([
      ['gzip', gzipSync(Buffer.alloc(60_000_000, 'x'))],
      ['br', brotliCompressSync(Buffer.alloc(60_000_000, 'x'))],
    ])('does not decompress more than it keeps: %s', async (encoding, bomb) => {
      await answering(...withBody(encoding, bomb));
      const before = process.memoryUsage().arrayBuffers;
      expect(await post()).toEqual(answered(200, 'x'.repeat(1_000)));
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
    });
  });
});
