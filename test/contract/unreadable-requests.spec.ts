import { CONNECTION_LIMITS } from '../../src/common/http/connections/http-server';
import { RawConnection } from '../support/raw-connection';
import { TestService } from '../support/service';

describe('malformed requests get a response in the error format', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({
      limits: { headersTimeoutMs: 3_000, requestTimeoutMs: 6_000, checkIntervalMs: 50 },
    });
  });
  afterAll(() => service.stop());

  const HEAD = 'POST /api/v1/gateway/send-sms HTTP/1.1\r\nhost: x\r\n';
  const CLOSE = 'connection: close\r\n';
  const long = 'x'.repeat(CONNECTION_LIMITS.maxHeaderBytes);

  it.each([
    ['headers that do not arrive in time', HEAD, 408, 'REQUEST_TIMEOUT'],
    ['headers that are too long', `${HEAD}x-long: ${long}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a URL that is too long', `GET /${long} HTTP/1.1\r\nhost: x\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a malformed request line', 'Hello, world\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a malformed length', `${HEAD}content-length: -1\r\n\r\n`, 400, 'BAD_REQUEST'],
    ['no Host', 'GET /api/v1/gateway/stats HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['no Host, for an unknown path', 'GET /nowhere HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown expectation', `${HEAD}expect: 200-ok\r\n\r\n`, 417, 'EXPECTATION_FAILED'],
    [
      'an unknown expectation, with a body',
      `${HEAD}expect: later\r\ncontent-length: 2\r\n\r\n{}`,
      417,
      'EXPECTATION_FAILED',
    ],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['CONNECT without Host', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['a method that Node does not know', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a method without a route', `TRACE / HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`, 404, 'NOT_FOUND'],
    [
      'an upgrade, as a request without one',
      `GET /api/v1/nowhere HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n`,
      404,
      'NOT_FOUND',
    ],
    [
      'a path that cannot be decoded',
      'GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
  ])('%s', async (_, text, status, code) => {
    const connection = new RawConnection(service.url);
    connection.write(text);
    await connection.waitUntilClosed();
    expect(connection.statuses).toEqual([String(status)]);
    const [head = '', body = ''] = connection.text.split('\r\n\r\n');
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    expect(head).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(body)}\r?$`, 'im'));
    const answer = JSON.parse(body) as Record<string, unknown>;
    const words = expect.stringMatching(/^[A-Z][^{}]+$/) as unknown;
    expect(answer).toEqual({ error: words, message: answer.error, code });
  });
});
