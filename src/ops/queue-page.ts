import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { Injectable, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AttemptsService } from '../auth/attempts.service';
import { clientAddressOf } from '../auth/client-address';
import { Unauthorized } from '../common/errors';
import { ErrorFilter } from '../common/http/error.filter';
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
  private readonly errors = new ErrorFilter();

  constructor(
    private readonly config: OpsConfig,
    private readonly attempts: AttemptsService,
    private readonly figures: QueueFiguresService,
  ) {}

  /** Puts the page into the application, if it has a password. */
  mount(app: NestFastifyApplication): void {
    const { queuePagePassword } = this.config;
    if (queuePagePassword === undefined) return;
    const page = new FastifyAdapter().setBasePath(PATH);
    createBullBoard({
      queues: this.figures.queues.map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
      serverAdapter: page,
    });
    const instance = app.getHttpAdapter().getInstance();
    void instance.register(
      async (scope) => {
        scope.addHook('onRequest', async (request, reply) => {
          // The page has an error handler of its own, which knows nothing of these errors.
          await this.guard(queuePagePassword, request, reply).catch((failure: unknown) => {
            this.errors.answer(failure, request, reply);
          });
        });
        await scope.register(page.registerPlugin());
      },
      { prefix: PATH },
    );
  }

  /** @throws NotFoundException, Unauthorized, TooManyAttempts */
  private async guard(password: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.raw.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
    if (request.method !== 'GET') throw new NotFoundException();
    try {
      await this.admit(request, password);
    } catch (failure) {
      if (failure instanceof Unauthorized)
        reply.raw.setHeader('www-authenticate', 'Basic realm="Queues", charset="UTF-8"');
      throw failure;
    }
    // Bull waits for a Redis that is away, and the page with it.
    if (!this.figures.areReachable)
      await reply.code(503).type('text/plain').send('Redis cannot be reached at the moment');
  }

  /** @throws Unauthorized, TooManyAttempts */
  private async admit(request: FastifyRequest, password: string): Promise<void> {
    const presented = passwordOf(request);
    if (presented === undefined) throw new Unauthorized();
    const attempt = { kind: 'queue-page', account: PATH, address: clientAddressOf(request) } as const;
    await this.attempts.count(attempt);
    if (!isSameSecret(presented, password)) throw new Unauthorized();
    await this.attempts.forgive(attempt);
  }
}

/** The password of HTTP's basic authentication; any user name goes with it. */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  return encoded && /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}
