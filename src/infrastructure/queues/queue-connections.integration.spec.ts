import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Redis from 'ioredis';

const RECONNECT_MS = 20;

describe('ioredis, when a connection closes during CLIENT SETINFO', () => {
  it('stays ready and does not reconnect; if this fails, disableClientInfo can be removed', async () => {
    let connections = 0;
    const server = net.createServer((socket) => {
      connections += 1;
      let received = '';
      socket.on('data', (data) => {
        received += data.toString();
        if (received.includes('LIB-VER') && received.includes('LIB-NAME')) socket.destroy();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const redis = new Redis(port, '127.0.0.1', {
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RECONNECT_MS,
    });
    redis.on('error', () => undefined);
    await once(redis, 'reconnecting');
    await sleep(50 * RECONNECT_MS);
    expect({ status: redis.status, connections }).toEqual({ status: 'ready', connections: 1 });
    redis.disconnect();
    server.close();
  });
});
