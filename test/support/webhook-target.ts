import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { CertificateWithKey } from './certificates';

/** A server that counts connections, because blocked requests must not even connect. */
export class WebhookTarget {
  /** All connections so far. */
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

  static http(listener: RequestListener, host?: string): Promise<WebhookTarget> {
    return new WebhookTarget(createHttpServer(listener)).listen(host);
  }

  static https(certificate: CertificateWithKey, listener: RequestListener): Promise<WebhookTarget> {
    return new WebhookTarget(createTlsServer({ ...certificate }, listener)).listen();
  }

  /** Handles raw connections. */
  static tcp(onConnection: (socket: Socket) => void): Promise<WebhookTarget> {
    return new WebhookTarget(createServer(onConnection)).listen();
  }

  /** Responds to the first data with a text, then ends, resets or keeps the connection. */
  static raw(text: string, afterwards: 'end' | 'reset' | 'stay' = 'end'): Promise<WebhookTarget> {
    return WebhookTarget.tcp((socket) => {
      socket.once('data', () => {
        socket.write(text, () => {
          if (afterwards === 'end') socket.end();
          // A reset would discard text that has not been read.
          if (afterwards === 'reset') setTimeout(() => socket.resetAndDestroy(), 50);
        });
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
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

  private async listen(host?: string): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, host, resolve));
    return this;
  }
}
