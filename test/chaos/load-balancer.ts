import net from 'node:net';

/** A TCP load balancer for all API processes that skips those that are down. */
export class LoadBalancer {
  private next = 0;

  private constructor(
    private readonly server: net.Server,
    private readonly ports: readonly number[],
  ) {
    server.on('connection', (client) => {
      client.on('error', () => undefined);
      this.next += 1;
      this.connect(client, this.next, ports.length);
    });
  }

  static async to(ports: readonly number[]): Promise<LoadBalancer> {
    const server = net.createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LoadBalancer(server, ports);
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The load balancer is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  close(): void {
    this.server.close();
  }

  private connect(client: net.Socket, index: number, attemptsLeft: number): void {
    const port = this.ports[index % this.ports.length];
    if (attemptsLeft === 0 || port === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const upstream = net.connect(port, '127.0.0.1');
    const tryNext = (): void => {
      this.connect(client, index + 1, attemptsLeft - 1);
    };
    upstream.once('error', tryNext);
    upstream.once('connect', () => {
      upstream.off('error', tryNext);
      upstream.on('error', () => undefined);
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
      client.resume();
    });
  }
}
