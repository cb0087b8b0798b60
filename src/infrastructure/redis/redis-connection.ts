import { Logger } from '@nestjs/common';
import Redis from 'ioredis';

/** How long to wait for Redis to confirm a disconnect; the default of ioredis is two seconds. */
export const DISCONNECT_TIMEOUT_MS = 100;

/** The connection for plain commands. A blocking command or a subscription needs its own connection. */
export const REDIS = Symbol('redis');

/** @throws when the first connection fails. Later, commands fail immediately while the connection is lost. */
export async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    // Every caller can continue without Redis.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  });
  reportOutages(redis);
  await redis.connect();
  return redis;
}

/** Logs the start and the end of an outage, not every reconnect attempt. */
function reportOutages(redis: Redis): void {
  const logger = new Logger('Redis');
  let isLost = false;
  redis.on('error', (failure: Error) => {
    if (!isLost)
      logger.error(
        `Redis is unreachable; schedulers do the work of jobs, 5 to 10 s late (scheduled campaigns 20 s), until it is back: ${failure.message}`,
      );
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) logger.log('Redis is back');
    isLost = false;
  });
}
