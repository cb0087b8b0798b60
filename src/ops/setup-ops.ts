import type { IncomingMessage } from 'node:http';
import { Logger, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LimitedFastifyAdapter } from '../common/http/limited-fastify-adapter';
import { pathOf } from '../common/http/raw-http';
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

/** Assigns an id to each request and measures it, before any other hook. */
export function setupRequestHook(app: NestFastifyApplication, adapter: LimitedFastifyAdapter): void {
  const metrics = app.get(RequestMetrics);
  const checkForwardedFor = createForwardedForCheck(app.get(HttpConfig).trustProxy);
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    checkForwardedFor(request.raw);
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
