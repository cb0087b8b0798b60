import { NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { RolesConfig } from '../config/roles.config';
import { QueuePage } from './queue-page';
import { giveRequestId } from './request-ids';
import { RequestWatch } from './request-watch';

/** The routes of this module, which stand beside the API. */
export const OPS_ROUTES = ['health/live', 'health/ready', 'metrics'];

const OPS_PATH = /^\/(health|metrics|admin\/queues)(\/|$)/i;

/** A process without the api role listens for those who watch it, and for nobody else. */
function refuseApi({ path }: Request, _: Response, next: NextFunction): void {
  if (OPS_PATH.test(path)) next();
  else next(new NotFoundException());
}

/** Puts what watches requests in front of everything else; before any other part of the application is set up. */
export function watchRequests(app: NestExpressApplication): void {
  app.use(giveRequestId, app.get(RequestWatch).watch);
}

/** Puts the queue page beside the API, and closes the API where it is not this process's work. */
export function serveOps(app: NestExpressApplication): void {
  if (!app.get(RolesConfig).has('api')) app.use(refuseApi);
  app.get(QueuePage).mount(app);
}
