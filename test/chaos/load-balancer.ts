import net from 'node:net';

/** One address for all API processes, as in front of a real installation: each connection goes to one that lives. */
export class LoadBalancer {
  private next = 0;

  private constructor(
    private readonly server: net.Server,
    private readonly ports: readonly number[],
  ) {
    server.on('connection', (near) => {
      near.on('error', () => undefined);
      this.next += 1;
      this.connect(near, this.next, ports.length);
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

  private connect(near: net.Socket, index: number, tries: number): void {
    const port = this.ports[index % this.ports.length];
    if (tries === 0 || port === undefined || near.destroyed) {
      near.destroy();
      return;
    }
    const far = net.connect(port, '127.0.0.1');
    const tryNext = (): void => {
      this.connect(near, index + 1, tries - 1);
    };
    far.once('error', tryNext);
    far.once('connect', () => {
      far.off('error', tryNext);
      far.on('error', () => undefined);
      far.on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      near.pipe(far);
      far.pipe(near);
      near.resume();
    });
  }
}
