import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly code: string;
}

const errorBody = (code: string, text: string): ErrorBody => ({ error: text, message: text, code });

const NOT_A_PROXY = errorBody('METHOD_NOT_ALLOWED', 'CONNECT is not supported: this is not a proxy');
const UNKNOWN_EXPECTATION = errorBody(
  'EXPECTATION_FAILED',
  'The only supported value of the Expect header is 100-continue',
);

/** The body of the response to a request without a Host header. */
export const HOST_MISSING = errorBody('BAD_REQUEST', 'The request has no Host header');

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
    const body = JSON.stringify(NOT_A_PROXY);
    const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`);
    socket.on('error', () => undefined);
    socket.end(['HTTP/1.1 405 Method Not Allowed', ...headers, '', body].join('\r\n'), () =>
      socket.destroy(),
    );
  });
  // An option of Node's server, which it keeps as a property.
  Object.assign(server, { requireHostHeader: false });
}

const headersOf = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
});
