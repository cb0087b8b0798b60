import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook endpoint that only counts requests and bytes. */
export class EventSink {
  count = 0;
  private bytes = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      request.on('data', (data: Buffer) => (this.bytes += data.length));
      request.once('end', () => {
        this.count += 1;
        response.writeHead(200).end();
      });
    });
  }

  static async start(): Promise<EventSink> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new EventSink(server);
  }

  get megabytes(): number {
    return Math.round(this.bytes / 1_000_000);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
