import net from 'node:net';

/** A TCP proxy that can cut, freeze and restore connections. */
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

  /** The URL with the address of the proxy. */
  via(url: string): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy is closed');
    return url.replace(`${this.target.host}:${this.target.port}`, `127.0.0.1:${address.port}`);
  }

  /** Closes all connections and refuses new ones. */
  cut(): void {
    this.state = 'cut';
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** Keeps connections open but forwards nothing. */
  freeze(): void {
    this.state = 'frozen';
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Forwards requests but no responses. */
  mute(): void {
    for (const [, upstream] of this.pairs) upstream.pause();
  }

  /** Closes all connections and accepts new ones. */
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

  private connect(client: net.Socket): void {
    if (this.state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = net.connect(this.target);
    const pair: [net.Socket, net.Socket] = [client, upstream];
    this.pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
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
