import { once } from 'node:events';
import net from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import Bull from 'bull';
import Redis from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisCircuitBreaker } from '../redis/redis-circuit-breaker';
import { RedisConnections } from '../redis/redis-connections';
import { JobQueue } from './job-queue';
import { JobRunner } from './job-runner';
import { QueueConnections } from './queue-connections';

class TestQueue extends JobQueue<object> {}

describe('JobQueue', () => {
  // The order of a shutdown: the jobs are drained, then the connections are closed.
  it.each(['closed', 'drained and closed'])(
    'leaves no rejection unhandled if it is %s before Redis has answered',
    async (how) => {
      const sockets: net.Socket[] = [];
      const silentRedis = net.createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined).resume();
      });
      silentRedis.listen(0, '127.0.0.1');
      await once(silentRedis, 'listening');
      const { port } = silentRedis.address() as net.AddressInfo;
      const url = `redis://127.0.0.1:${port}`;
      const redis = new Redis(url, { lazyConnect: true });
      const config = Object.assign(new RedisConfig(), { url });
      const connections = new QueueConnections(new RedisConnections(config, redis));
      const queue = new Bull<object>('test', {
        createClient: (type, options) => connections.open('{test}', type, options),
      });
      new TestQueue(queue, connections, new RedisCircuitBreaker(redis, SECOND_MS));
      const failures: unknown[] = [];
      // Jest itself reports promises that nobody holds.
      queue.process(() => Promise.resolve()).catch((failure: unknown) => failures.push(failure));
      await once(queue.client, 'ready');
      if (how === 'drained and closed') await new JobRunner(queue, { record: () => undefined }).stop();
      await (queue as typeof queue & OnApplicationShutdown).onApplicationShutdown();
      expect(failures).toEqual([]);
      for (const socket of sockets) socket.destroy();
      silentRedis.close();
    },
  );
});
