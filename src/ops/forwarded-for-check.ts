import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import type { TrustedProxies } from '../config/sections/http.config';

/** Logs once if requests come through an untrusted proxy: all clients would share its address, and that address's limits. */
export function createForwardedForCheck(trustProxy: TrustedProxies): (request: IncomingMessage) => void {
  let isLogged = trustProxy !== false;
  return ({ headers }) => {
    if (isLogged || headers['x-forwarded-for'] === undefined) return;
    isLogged = true;
    new Logger('Proxy').error(
      'A request has X-Forwarded-For, but TRUST_PROXY is not set. Behind a proxy, the address limits apply to all ' +
        'clients together; set TRUST_PROXY to the number of proxies or to their addresses.',
    );
  };
}
