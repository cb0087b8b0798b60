import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy that knows `CONNECT` only, and connects every host to 127.0.0.1. */
export class HttpProxy {
  /** The hosts and ports that were asked for. */
  readonly connected: string[] = [];
  /** Accepts connections without connecting. */
  isUnresponsive = false;
  private readonly sockets = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    private readonly authorization: string | undefined,
  ) {
    server.on('connect', (request: IncomingMessage, socket: Duplex) => {
      this.handle(request, socket);
    });
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** @param credentials `user:password`, if the proxy requires them. */
  static async start(credentials?: string): Promise<HttpProxy> {
    const server = createServer((_, response) => response.writeHead(405).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    return new HttpProxy(server, expected);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get openConnections(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle({ url = '', headers }: IncomingMessage, socket: Duplex): void {
    this.connected.push(url);
    if (this.isUnresponsive) {
      socket.resume().once('end', () => socket.destroy());
      return;
    }
    if (headers['proxy-authorization'] !== this.authorization) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const target = connect(Number(url.replace(/^.*:/, '')), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
    socket.once('close', () => target.destroy());
  }
}
