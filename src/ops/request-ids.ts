import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf } from '../common/http/raw-http';
import { withLogIds } from '../common/log-ids';

/** Long enough for every scheme in use, and nothing that could break a line of the log. */
const REQUEST_ID = /^[\w.:=-]{1,100}$/;

/**
 * Gives each request an id: the one it brings in `X-Request-Id`, from a proxy or a client, if it is usable, else one of
 * its own. It stands in the answer and in every line that is logged on behalf of the request.
 */
export function withRequestId(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const brought = headerOf(request, 'x-request-id') ?? '';
  const requestId = REQUEST_ID.test(brought) ? brought : randomUUID();
  response.setHeader('x-request-id', requestId);
  withLogIds({ requestId }, next);
}
