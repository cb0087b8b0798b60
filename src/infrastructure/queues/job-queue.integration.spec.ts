import { once } from 'node:events';
import net from 'node:net';
import Bull from 'bull';
import Redis from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisCircuitBreaker } from '../redis/redis-circuit-breaker';
import { JobQueue } from './job-queue';
import { QueueConnections } from './queue-connections';

class TestQueue extends JobQueue<object> {}

describe('JobQueue', () => {
  it('leaves no rejection unhandled if it is closed before Redis has answered', async () => {
    const sockets: net.Socket[] = [];
    const silentRedis = net.createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).resume();
    });
    silentRedis.listen(0, '127.0.0.1');
    await once(silentRedis, 'listening');
    const { port } = silentRedis.address() as net.AddressInfo;
    const url = `redis://127.0.0.1:${port}`;
    const connections = new QueueConnections(Object.assign(new RedisConfig(), { url }));
    const queue = new Bull<object>('test', {
      createClient: (type, options) => connections.open(type, options),
    });
    const redis = new Redis(url, { lazyConnect: true });
    new TestQueue(queue, connections, new RedisCircuitBreaker(redis, SECOND_MS));
    const processing = queue.process(() => Promise.resolve());
    await once(queue.client, 'ready');
    await connections.close();
    await expect(processing).resolves.toBeUndefined();
    await queue.close(true);
    for (const socket of sockets) socket.destroy();
    silentRedis.close();
  });
});
