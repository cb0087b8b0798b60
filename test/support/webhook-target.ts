import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Certified } from './certificates';

/** A server webhooks are sent to. It counts who comes, as a refused request must not get even that far. */
export class WebhookTarget {
  /** Connections that came, in all. */
  connections = 0;
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Answers over HTTP. */
  static http(listener: RequestListener, host?: string): Promise<WebhookTarget> {
    return new WebhookTarget(createHttpServer(listener)).listening(host);
  }

  /** Answers over HTTPS. */
  static https(certified: Certified, listener: RequestListener): Promise<WebhookTarget> {
    return new WebhookTarget(createTlsServer({ ...certified }, listener)).listening();
  }

  /** Does what it is told with each connection, HTTP or not. */
  static tcp(onConnection: (socket: Socket) => void): Promise<WebhookTarget> {
    return new WebhookTarget(createServer(onConnection)).listening();
  }

  /** Writes a text, when a request comes, and ends or drops the connection after it, or leaves it open. */
  static raw(text: string, then: 'end' | 'reset' | 'stay' = 'end'): Promise<WebhookTarget> {
    return WebhookTarget.tcp((socket) => {
      socket.once('data', () => {
        socket.write(text, () => {
          if (then === 'end') socket.end();
          // Time for the text to be read, which a reset would throw away.
          if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 50);
        });
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that stand. */
  get openConnections(): number {
    return this.open.size;
  }

  url(host = '127.0.0.1', scheme: 'http' | 'https' = 'http'): string {
    return `${scheme}://${host}:${this.port}/hook`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.open) socket.destroy();
    await closed;
  }

  private async listening(host?: string): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    return this;
  }
}
