import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import type { TrustedProxies } from '../config/http.config';

/**
 * Logs once that a proxy stands in front which is not trusted: all clients then share its address, and the limits of that
 * address.
 */
export function watchForwardedFor(trustProxy: TrustedProxies): (request: IncomingMessage) => void {
  let isLogged = trustProxy !== false;
  return ({ headers }) => {
    if (isLogged || headers['x-forwarded-for'] === undefined) return;
    isLogged = true;
    new Logger('Proxy').error(
      'A request carries X-Forwarded-For, but TRUST_PROXY is not set. If a proxy stands in front of the service, all ' +
        'clients count as one address; set TRUST_PROXY to the number of proxies or to their addresses.',
    );
  };
}
