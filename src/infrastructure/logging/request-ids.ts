import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf } from '../../common/http/connections/raw-http';
import { withLogIds } from './log-ids';

/** Safe to write to the log. */
const REQUEST_ID = /^[\w.:=-]{1,100}$/;

/**
 * Assigns each request an id: a valid `X-Request-Id` of the request, or a new UUID. It is returned in the response and added to
 * every log line of the request.
 */
export function withRequestId(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const received = headerOf(request, 'x-request-id') ?? '';
  const requestId = REQUEST_ID.test(received) ? received : randomUUID();
  response.setHeader('x-request-id', requestId);
  withLogIds({ requestId }, next);
}
