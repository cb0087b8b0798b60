import { createServer, type Server } from 'node:http';
import { freePort } from 'messaging-gateway-local-stack/ports';

/** A webhook endpoint that responds with 200 and records arrival times. */
export class Receiver {
  /** The first arrival of each event, in epoch milliseconds. */
  readonly arrivals = new Map<string, number>();
  requests = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async start(): Promise<Receiver> {
    const port = await freePort();
    const server = createServer((request, response) => {
      request.resume();
      request.once('end', () => {
        receiver.requests += 1;
        const key = String(request.headers['idempotency-key']);
        if (!receiver.arrivals.has(key)) receiver.arrivals.set(key, Date.now());
        response.end();
      });
    });
    server.keepAliveTimeout = 30_000;
    const receiver = new Receiver(server, port);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  clear(): void {
    this.arrivals.clear();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
