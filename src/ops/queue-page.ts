import { Injectable, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthAttemptLimiter } from '../auth/limits/auth-attempt-limiter.service';
import { clientAddressOf } from '../auth/http/client-address';
import { Unauthorized } from '../common/errors';
import { ErrorFilter } from '../common/http/responses/error.filter';
import { HttpConfig } from '../config/sections/http.config';
import { OpsConfig } from '../config/sections/ops.config';
import { QueueStatsService } from './queue-stats.service';
import { secretsMatch } from './secrets-match';

const PATH = '/admin/queues';

/** Blocks the fonts that the page would load from a third party. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** A read-only page of the queues for the operator. */
@Injectable()
export class QueuePage {
  private readonly errors = new ErrorFilter();

  constructor(
    private readonly config: OpsConfig,
    private readonly http: HttpConfig,
    private readonly attempts: AuthAttemptLimiter,
    private readonly stats: QueueStatsService,
  ) {}

  /** Does nothing without QUEUE_PAGE_PASSWORD. */
  mount(app: NestFastifyApplication): void {
    const { queuePagePassword } = this.config;
    if (queuePagePassword === undefined) return;
    const instance = app.getHttpAdapter().getInstance();
    void instance.register(
      async (scope) => {
        scope.addHook('onRequest', async (request, reply) => {
          // The error handler of the page does not know these errors.
          await this.guard(queuePagePassword, request, reply).catch((failure: unknown) => {
            this.errors.send(failure, request, reply);
          });
        });
        await scope.register(await this.createPlugin());
      },
      { prefix: PATH },
    );
  }

  private async createPlugin() {
    const [{ createBullBoard }, { BullAdapter }, { FastifyAdapter }] = await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullAdapter'),
      import('@bull-board/fastify'),
    ]);
    const page = new FastifyAdapter().setBasePath(this.http.basePath + PATH);
    createBullBoard({
      queues: this.stats.queues.map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
      serverAdapter: page,
    });
    return page.registerPlugin();
  }

  /** @throws NotFoundException, Unauthorized, TooManyAttempts */
  private async guard(password: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.raw.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
    if (request.method !== 'GET') throw new NotFoundException();
    try {
      await this.authenticate(request, password);
    } catch (failure) {
      if (failure instanceof Unauthorized)
        reply.raw.setHeader('www-authenticate', 'Basic realm="Queues", charset="UTF-8"');
      throw failure;
    }
    // Bull, and so the page, would wait for a connection.
    if (!this.stats.areReachable)
      await reply.code(503).type('text/plain').send('Redis is unavailable; try again shortly');
  }

  /** @throws Unauthorized, TooManyAttempts */
  private async authenticate(request: FastifyRequest, password: string): Promise<void> {
    const presented = passwordOf(request);
    if (presented === undefined) throw new Unauthorized();
    const attempt = { kind: 'queue-page', account: PATH, address: clientAddressOf(request) } as const;
    await this.attempts.count(attempt);
    if (!secretsMatch(presented, password)) throw new Unauthorized();
    await this.attempts.refund(attempt);
  }
}

/** The password of HTTP Basic authentication; the user name is ignored. */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  return encoded && /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}
