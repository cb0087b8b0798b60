import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { TrustedProxies } from '../../config/http.config';

/** What one client may take up of the server before anybody knows who it is. */
export interface ConnectionLimits {
  /** What a phone or client may take to send a request's headers, and the request as a whole. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often these two are looked after. */
  readonly checkEveryMs: number;
  /** How long a connection stays open between requests. */
  readonly keepAliveMs: number;
  /** The request line included, so that this is the longest URL as well. */
  readonly headerBytes: number;
  /** Headers beyond it are not looked at; newer Nodes refuse the request. */
  readonly headers: number;
  /** Of one process, streams included; a connection beyond it is closed at once. */
  readonly connections: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  // Longer than load balancers keep theirs (60 s), which would otherwise send a request into a closing connection.
  keepAliveMs: 65_000,
  headerBytes: 16 * 1024,
  headers: 100,
  connections: 20_000,
};

/** Fastify on a server with limits. */
export class HttpAdapter extends FastifyAdapter {
  private readonly open = new Set<Socket>();
  private readonly unanswered = new Set<ServerResponse>();

  constructor(
    trustProxy: TrustedProxies,
    private readonly limits = CONNECTION_LIMITS,
  ) {
    super({
      trustProxy: typeof trustProxy === 'object' ? [...trustProxy] : trustProxy,
      // Older apps write paths in any case and with slashes too many.
      routerOptions: {
        caseSensitive: false,
        ignoreTrailingSlash: true,
        ignoreDuplicateSlashes: true,
        maxParamLength: limits.headerBytes,
      },
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      return503OnClosing: false,
      http: {
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: limits.headerBytes,
      },
      // A path that cannot be decoded.
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
    server.maxHeadersCount = limits.headers;
    server.maxConnections = limits.connections;
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', (_: unknown, response: ServerResponse) => {
      this.unanswered.add(response);
      response.once('close', () => this.unanswered.delete(response));
    });
  }

  /**
   * Lets requests be answered, and waits for nothing else: neither for a next request on the same connection nor for
   * the rest of one that was refused before it was read.
   */
  override close(): Promise<undefined> {
    this.getHttpServer().keepAliveTimeout = 1;
    const closed = super.close();
    const busy = new Set([...this.unanswered].map(({ socket }) => socket));
    for (const socket of this.open) if (!busy.has(socket)) socket.destroy();
    return closed;
  }
}
