import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Helmet's headers. They are the same for every answer, so it is asked for them once. */
export function securityHeaders(): RequestHandler {
  // The page of the document must also load where there is no HTTPS, as on a machine of one's own network.
  const set = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  const headers = new Map<string, string>();
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  set({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return (_, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
