import net from 'node:net';

/** A way to a server that a test can cut, freeze and restore. */
export class TcpProxy {
  private readonly pairs = new Set<[net.Socket, net.Socket]>();
  private state: 'open' | 'cut' | 'frozen' = 'open';

  private constructor(
    private readonly server: net.Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (socket) => {
      this.connect(socket);
    });
  }

  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url.replace(/^\w+:/, 'http:'));
    const server = net.createServer();
    const proxy = new TcpProxy(server, { host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The same address, by way of the proxy. */
  via(url: string): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy is closed');
    return url.replace(`${this.target.host}:${this.target.port}`, `127.0.0.1:${address.port}`);
  }

  /** Ends all connections and takes no more. */
  cut(): void {
    this.state = 'cut';
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** Keeps connections but lets nothing through. */
  freeze(): void {
    this.state = 'frozen';
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Lets requests through, and holds the answers back. */
  mute(): void {
    for (const [, far] of this.pairs) far.pause();
  }

  /** Ends all connections; new ones are taken at once. */
  drop(): void {
    this.cut();
    this.restore();
  }

  restore(): void {
    this.state = 'open';
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private connect(near: net.Socket): void {
    if (this.state === 'cut') {
      near.destroy();
      return;
    }
    const far = net.connect(this.target);
    const pair: [net.Socket, net.Socket] = [near, far];
    this.pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (data) => to.write(data));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
      if (this.state === 'frozen') from.pause();
    }
  }
}
