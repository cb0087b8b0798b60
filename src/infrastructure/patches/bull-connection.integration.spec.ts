import { once } from 'node:events';
import net from 'node:net';
import Bull from 'bull';
import Redis, { type RedisOptions } from 'ioredis';
import { BullConnection } from './bull-connection';

const OPTIONS: RedisOptions = {
  enableReadyCheck: false,
  disableClientInfo: true,
  maxRetriesPerRequest: null,
};

/** The connection for blocking commands, which Bull opens when it is first read. */
interface QueueWithBlockingConnection extends Bull.Queue {
  readonly bclient: Redis & { blocked?: boolean };
}

describe('a queue of Bull without answers of Redis', () => {
  const sockets = new Set<net.Socket>();
  let server: net.Server;

  beforeEach(async () => {
    // A Redis that accepts connections and does not answer.
    server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  function openQueue<Connection extends Redis>(
    open: (port: number) => Connection,
  ): { queue: QueueWithBlockingConnection; connections: Connection[] } {
    const connections: Connection[] = [];
    const createClient = () => {
      const connection = open((server.address() as net.AddressInfo).port);
      connections.push(connection);
      return connection;
    };
    const queue = new Bull('test', { createClient }) as QueueWithBlockingConnection;
    queue.on('error', () => undefined);
    return { queue, connections };
  }

  it('reconnects the blocking connection when it is closed, and leaves it open; if this fails, the patch can be removed', async () => {
    const { queue, connections } = openQueue((port) => new Redis(port, '127.0.0.1', OPTIONS));
    await once(queue.bclient, 'ready');
    for (const connection of connections) connection.disconnect();
    await once(queue.bclient, 'end');
    await queue.close(true);
    expect(queue.bclient.status).toBe('ready');
    queue.bclient.disconnect();
  });

  it('leaves all its connections closed with the patch', async () => {
    const { queue, connections } = openQueue((port) => new BullConnection(port, '127.0.0.1', OPTIONS));
    await once(queue.bclient, 'ready');
    await Promise.all(connections.map((connection) => connection.closePermanently()));
    await queue.close(true);
    expect(connections.map(({ status }) => status)).toEqual(['end', 'end']);
  });

  async function measurePause(open: (port: number) => Redis): Promise<number> {
    const { queue, connections } = openQueue(open);
    await once(queue.bclient, 'ready');
    // As Bull sets it before it asks for a job, which waits at Redis.
    queue.bclient.blocked = true;
    const startedAt = performance.now();
    await queue.pause(true, true);
    const took = performance.now() - startedAt;
    for (const connection of connections) connection.disconnect();
    return took;
  }

  it('pauses after half a second while it waits for a job; if this fails, the patch can be removed', async () => {
    expect(await measurePause((port) => new Redis(port, '127.0.0.1', OPTIONS))).toBeGreaterThan(450);
  });

  it('pauses immediately with the patch', async () => {
    expect(await measurePause((port) => new BullConnection(port, '127.0.0.1', OPTIONS))).toBeLessThan(450);
  });
});
