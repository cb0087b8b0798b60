import type { IncomingMessage } from 'node:http';
import { NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpAdapter } from '../common/http/http-adapter';
import { pathOf } from '../common/http/raw-http';
import { HttpConfig } from '../config/http.config';
import { RolesConfig } from '../config/roles.config';
import { watchForwardedFor } from './forwarded-for';
import { QueuePage } from './queue-page';
import { withRequestId } from './request-ids';
import { RequestWatch } from './request-watch';

/** The routes of this module, which stand beside the API. */
export const OPS_ROUTES = ['health/live', 'health/ready', 'metrics'];

const OPS_PATH = /^\/+(health|metrics|admin\/+queues)(\/|$)/i;

/** A process without the api role listens for those who watch it, and for nobody else. */
function refuseApi(request: IncomingMessage, _: unknown, next: (failure?: Error) => void): void {
  if (OPS_PATH.test(pathOf(request))) next();
  else next(new NotFoundException());
}

/** Gives each request an id and measures it, before anything else is done with it. */
export function watchRequests(app: NestFastifyApplication, adapter: HttpAdapter): void {
  const watch = app.get(RequestWatch);
  const watchProxy = watchForwardedFor(app.get(HttpConfig).trustProxy);
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    watchProxy(request.raw);
    withRequestId(request.raw, reply.raw, () => {
      watch.watch(request.method, reply.raw, () => request.routeOptions.url ?? 'none');
      done();
    });
  });
}

/** Puts the queue page beside the API, and closes the API where it is not this process's work. */
export function serveOps(app: NestFastifyApplication): void {
  if (!app.get(RolesConfig).has('api')) app.use(refuseApi);
  app.get(QueuePage).mount(app);
}
