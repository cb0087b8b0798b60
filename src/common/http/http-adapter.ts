import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

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

/** Express on a server with limits. */
export class HttpAdapter extends ExpressAdapter {
  private readonly open = new Set<Socket>();
  private readonly unanswered = new Set<ServerResponse>();

  constructor(private readonly limits = CONNECTION_LIMITS) {
    super();
  }

  override initHttpServer(): void {
    const { limits } = this;
    const server = createServer(
      {
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: limits.headerBytes,
      },
      this.getInstance<RequestListener>(),
    );
    server.maxHeadersCount = limits.headers;
    server.maxConnections = limits.connections;
    server.on('connection', (socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', (_, response) => {
      this.unanswered.add(response);
      response.once('close', () => this.unanswered.delete(response));
    });
    this.setHttpServer(server);
  }

  /** Express would look for a type, an encoding and an ETag first, for a tenth of what a small request costs. */
  override reply(response: Response, body: unknown, status?: number): unknown {
    const text = textOf(response, body);
    if (text === undefined) return super.reply(response, body, status) as unknown;
    if (status !== undefined) response.statusCode = status;
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }

  /**
   * Lets requests be answered, and waits for nothing else: neither for a next request on the same connection nor for
   * the rest of one that was refused before it was read.
   */
  override close(): Promise<unknown> | undefined {
    this.getHttpServer().keepAliveTimeout = 1;
    const closed = super.close();
    const busy = new Set([...this.unanswered].map(({ socket }) => socket));
    for (const socket of this.open) if (!busy.has(socket)) socket.destroy();
    return closed;
  }
}

/** @returns what is sent, its type being set; undefined for what is neither JSON nor a text with a type. */
function textOf(response: Response, body: unknown): string | undefined {
  if (typeof body === 'string') return response.hasHeader('Content-Type') ? body : undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  return JSON.stringify(body);
}
