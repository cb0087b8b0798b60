import type { Socket } from 'node:net';
import { isUploading } from './long-uploads';

interface HttpError {
  readonly status: string;
  readonly code: string;
  readonly text: string;
}

/** By the error code of Node's HTTP server. */
const ERRORS: ReadonlyMap<string | undefined, HttpError> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: '408 Request Timeout', code: 'REQUEST_TIMEOUT', text: 'The request did not arrive in time' },
  ],
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: '431 Request Header Fields Too Large',
      code: 'HEADERS_TOO_LARGE',
      text: 'The request line and headers are longer than the limit',
    },
  ],
]);
const NOT_HTTP: HttpError = {
  status: '400 Bad Request',
  code: 'BAD_REQUEST',
  text: 'The request is not valid HTTP',
};

/** Responds to a request that Node's HTTP server cannot parse, in the format of all errors, and closes the connection. */
export function respondToMalformedRequest(failure: NodeJS.ErrnoException, socket: Socket): void {
  if (failure.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (failure.code !== 'ECONNRESET' && socket.writable) {
    const { status, code, text } = ERRORS.get(failure.code) ?? NOT_HTTP;
    const body = JSON.stringify({ error: text, message: text, code });
    const head = [
      `HTTP/1.1 ${status}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroy();
}
