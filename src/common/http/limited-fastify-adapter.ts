import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { respondToMalformedRequest } from './malformed-request';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { TrustedProxies } from '../../config/sections/http.config';

/** Limits on connections, which apply before authentication. */
export const CONNECTION_LIMITS = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  /** Timeout of a connection without traffic during a request, for example of a client that does not read the response. */
  idleTimeoutMs: 60_000,
  /** How often Node checks the header and request timeouts. */
  checkIntervalMs: 5_000,
  /** Longer than the 60 s of load balancers, which could otherwise send a request on a closing connection. */
  keepAliveMs: 65_000,
  /** Includes the request line, so it also limits the URL. */
  maxHeaderBytes: 16 * 1024,
  /** Further headers are dropped; newer versions of Node reject the request. */
  maxHeaders: 100,
  /** Per process, including streams; further connections are closed immediately. */
  maxConnections: 20_000,
};

export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>;

/** The Fastify adapter with connection limits. */
export class LimitedFastifyAdapter extends FastifyAdapter {
  private readonly sockets = new Set<Socket>();
  private readonly pendingResponses = new Set<ServerResponse>();

  constructor(
    trustProxy: TrustedProxies,
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
  ) {
    super({
      trustProxy: typeof trustProxy === 'object' ? [...trustProxy] : trustProxy,
      // Older apps send paths in any case and with extra slashes.
      routerOptions: {
        caseSensitive: false,
        ignoreTrailingSlash: true,
        ignoreDuplicateSlashes: true,
        maxParamLength: limits.maxHeaderBytes,
      },
      requestTimeout: limits.requestTimeoutMs,
      connectionTimeout: limits.idleTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      return503OnClosing: false,
      http: {
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        connectionsCheckingInterval: limits.checkIntervalMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: limits.maxHeaderBytes,
      },
      clientErrorHandler: respondToMalformedRequest,
      // The only framework error is a path that cannot be decoded.
      frameworkErrors: (_: FastifyError, __: FastifyRequest, reply: FastifyReply) => {
        const text = 'The path of the request is not valid';
        void reply.code(400).send({ error: text, message: text, code: 'BAD_REQUEST' });
      },
    });
  }

  override initHttpServer(): void {
    super.initHttpServer();
    const { limits } = this;
    const server = this.getHttpServer();
    server.maxHeadersCount = limits.maxHeaders;
    server.maxConnections = limits.maxConnections;
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', (_: unknown, response: ServerResponse) => {
      this.pendingResponses.add(response);
      response.once('close', () => this.pendingResponses.delete(response));
    });
  }

  /** Waits for pending responses only: not for idle keep-alive connections or for the rest of a rejected request. */
  override close(): Promise<undefined> {
    this.getHttpServer().keepAliveTimeout = 1;
    const closed = super.close();
    const busy = new Set([...this.pendingResponses].map(({ socket }) => socket));
    for (const socket of this.sockets) if (!busy.has(socket)) socket.destroy();
    return closed;
  }
}
