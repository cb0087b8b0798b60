import type { IncomingMessage } from 'node:http';
import { Logger, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasForeignOrigin } from '../auth/sessions/session-cookie';
import { LimitedFastifyAdapter } from '../common/http/limited-fastify-adapter';
import { pathOf } from '../common/http/connections/raw-http';
import { HttpConfig, type TrustedProxies } from '../config/sections/http.config';
import { RolesConfig } from '../config/sections/roles.config';
import { QueuePage } from './queue-page';
import { withRequestId } from '../infrastructure/logging/request-ids';
import { RequestMetrics } from './request-metrics';

/** Routes outside the API prefix. */
export const OPS_ROUTES = ['health/live', 'health/ready', 'metrics'];

const OPS_PATH = /^\/+(health|metrics|admin\/+queues)(\/|$)/i;

/** For processes without the api role. */
function rejectApiRequests(request: IncomingMessage, _: unknown, next: (failure?: Error) => void): void {
  if (OPS_PATH.test(pathOf(request))) next();
  else next(new NotFoundException());
}

/** Logs once if requests come through an untrusted proxy: all clients would share its address, and that address's limits. */
function createForwardedForCheck(trustProxy: TrustedProxies): (request: IncomingMessage) => void {
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

const SIGN_IN_PATH = /\/auth\/session$/i;

/**
 * Logs once if a page signs in that seems to have another origin: it gets no cookie, which a dashboard behind a proxy that
 * changes the host cannot explain.
 */
function createOriginCheck(corsOrigins: readonly string[]): (request: IncomingMessage) => void {
  let isLogged = false;
  return (request) => {
    const { method, headers } = request;
    if (isLogged || method !== 'POST' || !hasForeignOrigin(headers) || !SIGN_IN_PATH.test(pathOf(request)))
      return;
    const origin = headers.origin ?? '';
    if (corsOrigins.includes(origin)) return;
    isLogged = true;
    new Logger('Proxy').error(
      `A page at ${shown(origin)} signs in, but its request is for the host ${shown(headers.host)}, so it gets no session cookie. ` +
        'If that page is the dashboard, have the proxy forward the Host header with its port.',
    );
  };
}

const shown = (header = ''): string => JSON.stringify(header.slice(0, 100));

/** Assigns an id to each request and measures it, before any other hook. */
export function setupRequestHook(app: NestFastifyApplication, adapter: LimitedFastifyAdapter): void {
  const metrics = app.get(RequestMetrics);
  const { trustProxy, corsOrigins } = app.get(HttpConfig);
  const checkForwardedFor = createForwardedForCheck(trustProxy);
  const checkOrigin = createOriginCheck(corsOrigins);
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    checkForwardedFor(request.raw);
    checkOrigin(request.raw);
    withRequestId(request.raw, reply.raw, () => {
      metrics.observe(request.method, reply.raw, () => request.routeOptions.url ?? 'none');
      done();
    });
  });
}

/** Mounts the queue page. Rejects API requests if the process does not have the api role. */
export function setupOps(app: NestFastifyApplication): void {
  if (!app.get(RolesConfig).has('api')) app.use(rejectApiRequests);
  app.get(QueuePage).mount(app);
}
