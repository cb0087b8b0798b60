import { Logger } from '@nestjs/common';
import Redis from 'ioredis';
import { DISCONNECT_LIMIT_MS } from './disconnect-limit';

/** The connection for plain commands. Anything that blocks or subscribes opens its own (`duplicate`). */
export const REDIS = Symbol('redis');

/** @throws what keeps it from connecting. Later, commands fail at once while Redis is out of reach. */
export async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    // Whoever issues a command has a way on without it.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    disconnectTimeout: DISCONNECT_LIMIT_MS,
  });
  reportOutages(redis);
  await redis.connect();
  return redis;
}

/** Logs the loss and the return of a connection once each, instead of every attempt in between. */
function reportOutages(redis: Redis): void {
  const logger = new Logger('Redis');
  let lost = false;
  redis.on('error', (failure: Error) => {
    if (!lost) logger.error(`Redis is out of reach, work waits for the sweepers: ${failure.message}`);
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) logger.log('Redis is back');
    lost = false;
  });
}
