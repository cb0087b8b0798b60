import type { RequestListener } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../../config/sections/http.config';
import { withoutBasePath } from './base-path';
import { CONNECTION_LIMITS, type ConnectionLimits, createHttpServer } from './connections/http-server';
import { errorBody, respondToMalformedRequest } from './connections/node-responses';
import type { OpenConnections } from './connections/open-connections';

/** The Fastify adapter with connection limits. */
export class LimitedFastifyAdapter extends FastifyAdapter {
  private readonly connections: readonly OpenConnections[];

  constructor(
    { trustProxy, basePath }: Pick<HttpConfig, 'trustProxy' | 'basePath'>,
    limits: ConnectionLimits = CONNECTION_LIMITS,
  ) {
    const connections: OpenConnections[] = [];
    super({
      trustProxy: typeof trustProxy === 'object' ? [...trustProxy] : trustProxy,
      // Older apps send paths in any case and with extra slashes.
      routerOptions: {
        caseSensitive: false,
        ignoreTrailingSlash: true,
        ignoreDuplicateSlashes: true,
        maxParamLength: limits.maxHeaderBytes,
      },
      rewriteUrl: ({ url = '' }) => withoutBasePath(url, basePath),
      // Called once for each address that the service listens on.
      serverFactory: (handle: RequestListener) => {
        const limited = createHttpServer(handle, limits, trustProxy);
        connections.push(limited.connections);
        return limited.server;
      },
      return503OnClosing: false,
      clientErrorHandler: respondToMalformedRequest,
      // The only framework error is a path that cannot be decoded.
      frameworkErrors: (_: FastifyError, __: FastifyRequest, reply: FastifyReply) => {
        void reply.code(400).send(errorBody('BAD_REQUEST', 'The path of the request is not valid'));
      },
    });
    this.connections = connections;
  }

  /** Waits for pending responses only: not for idle keep-alive connections or for the rest of a rejected request. */
  override close(): Promise<undefined> {
    this.getHttpServer().keepAliveTimeout = 1;
    const closed = super.close();
    for (const each of this.connections) each.closeSilent();
    return closed;
  }
}
