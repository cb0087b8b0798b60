import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isUploading } from './long-uploads';

interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly code: string;
}

/** The format of all errors. */
export const errorBody = (code: string, text: string): ErrorBody => ({ error: text, message: text, code });

const NOT_A_PROXY = rawResponse(
  '405 Method Not Allowed',
  errorBody('METHOD_NOT_ALLOWED', 'CONNECT is not supported: this is not a proxy'),
);
const UNKNOWN_EXPECTATION = errorBody(
  'EXPECTATION_FAILED',
  'The only supported value of the Expect header is 100-continue',
);

/** The body of the response to a request without a Host header. */
export const HOST_MISSING = errorBody('BAD_REQUEST', 'The request has no Host header');

/** To requests that Node's HTTP server cannot parse, by its error code. */
const MALFORMED: ReadonlyMap<string | undefined, string> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    rawResponse('408 Request Timeout', errorBody('REQUEST_TIMEOUT', 'The request did not arrive in time')),
  ],
  [
    'HPE_HEADER_OVERFLOW',
    rawResponse(
      '431 Request Header Fields Too Large',
      errorBody('HEADERS_TOO_LARGE', 'The request line and headers are longer than the limit'),
    ),
  ],
]);
const NOT_HTTP = rawResponse('400 Bad Request', errorBody('BAD_REQUEST', 'The request is not valid HTTP'));

export const hasHost = ({ httpVersion, headers }: IncomingMessage): boolean =>
  headers.host !== undefined || httpVersion !== '1.1';

/**
 * Makes a server respond in the error format where Node's server would respond with an empty body, or close the connection.
 * Requests without a Host header reach the application, which must check `hasHost`.
 */
export function respondInsteadOfNode(server: Server): void {
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify(UNKNOWN_EXPECTATION);
    response.writeHead(417, headersOf(body)).end(body);
  });
  server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    socket.end(NOT_A_PROXY, () => socket.destroy());
  });
  // An option of Node's server, which it keeps as a property.
  Object.assign(server, { requireHostHeader: false });
}

/** Responds to a request that Node's HTTP server cannot parse, and closes the connection. */
export function respondToMalformedRequest(failure: NodeJS.ErrnoException, socket: Socket): void {
  if (failure.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (failure.code !== 'ECONNRESET' && socket.writable) socket.write(MALFORMED.get(failure.code) ?? NOT_HTTP);
  socket.destroy();
}

function rawResponse(status: string, error: ErrorBody): string {
  const body = JSON.stringify(error);
  const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n');
}

function headersOf(body: string) {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
}
