import { type IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { pathOf } from '../connections/raw-http';

/**
 * @returns a function that sets the headers of Helmet on a response, and forbids caching if it is of the API: these responses hold
 * secrets and personal data.
 */
export function createSecurityHeaders(): (request: IncomingMessage, response: ServerResponse) => void {
  const headers = helmetHeaders();
  return (request, response) => {
    response.setHeaders(headers);
    if (/^\/+api(\/|$)/i.test(pathOf(request))) response.setHeader('cache-control', 'no-store');
  };
}

/** They are the same for every response; as middleware, Helmet would compute them for each. */
function helmetHeaders(): Map<string, string> {
  const request = { method: 'GET' } as IncomingMessage;
  const response = new ServerResponse(request);
  // Without upgradeInsecureRequests, /docs also loads over plain HTTP, for example in a local network.
  const middleware = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  middleware(request, response, () => undefined);
  return new Map(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
