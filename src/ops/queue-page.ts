import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Injectable, NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { AttemptsService } from '../auth/attempts.service';
import { clientAddressOf } from '../auth/client-address';
import { Unauthorized } from '../common/errors';
import { OpsConfig } from '../config/ops.config';
import { QueueFiguresService } from './queue-figures.service';
import { isSameSecret } from './same-secret';

const PATH = '/admin/queues';

/** Its own files and data, and nothing from elsewhere: the page would fetch fonts from a third party. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** Shows the queues to the operator, who can look and change nothing: what is lost there is found again anyway. */
@Injectable()
export class QueuePage {
  constructor(
    private readonly config: OpsConfig,
    private readonly attempts: AttemptsService,
    private readonly figures: QueueFiguresService,
  ) {}

  /** Puts the page into the application, if it has a password. */
  mount(app: NestExpressApplication): void {
    const { queuePagePassword } = this.config;
    if (queuePagePassword === undefined) return;
    const page = new ExpressAdapter().setBasePath(PATH);
    createBullBoard({
      queues: this.figures.queues.map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
      serverAdapter: page,
    });
    app.use(PATH, this.guard(queuePagePassword), page.getRouter());
  }

  private guard(password: string) {
    return (request: Request, response: Response, next: NextFunction): void => {
      response.set('content-security-policy', CONTENT_SECURITY_POLICY);
      this.admit(request, password).then(
        () => {
          // Bull waits for a Redis that is away, and the page with it.
          if (this.figures.areReachable) next();
          else response.status(503).type('text').send('Redis cannot be reached at the moment');
        },
        (failure: unknown) => {
          if (failure instanceof Unauthorized)
            response.set('www-authenticate', 'Basic realm="Queues", charset="UTF-8"');
          next(failure);
        },
      );
    };
  }

  /** @throws NotFoundException, Unauthorized, TooManyAttempts */
  private async admit(request: Request, password: string): Promise<void> {
    if (request.method !== 'GET') throw new NotFoundException();
    const shown = passwordOf(request);
    if (shown === undefined) throw new Unauthorized();
    const attempt = { kind: 'queue-page', account: PATH, address: clientAddressOf(request) } as const;
    await this.attempts.count(attempt);
    if (!isSameSecret(shown, password)) throw new Unauthorized();
    await this.attempts.forgive(attempt);
  }
}

/** The password of HTTP's basic authentication; any user name goes with it. */
function passwordOf(request: Request): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(request.get('authorization') ?? '') ?? [];
  return encoded && /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}
