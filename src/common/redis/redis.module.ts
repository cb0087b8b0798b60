import { Global, Inject, Injectable, Logger, Module, OnApplicationShutdown } from '@nestjs/common';
import Redis from 'ioredis';
import { RedisConfig } from '../../config/redis.config';
import { DISCONNECT_LIMIT_MS } from './disconnect-limit';

/** The connection for plain commands. Anything that blocks or subscribes opens its own (`duplicate`). */
export const REDIS = Symbol('redis');

/** Logs the loss and the return of a connection once each, instead of every attempt in between. */
function reportOutages(redis: Redis): Redis {
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
  return redis;
}

@Injectable()
class RedisShutdown implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [RedisConfig],
      useFactory: async (config: RedisConfig) => {
        // Commands fail at once while Redis is away: whoever issues one has a way on without it.
        const options = {
          enableOfflineQueue: false,
          maxRetriesPerRequest: 0,
          lazyConnect: true,
          disconnectTimeout: DISCONNECT_LIMIT_MS,
        };
        const redis = reportOutages(new Redis(config.url, options));
        await redis.connect();
        return redis;
      },
    },
    RedisShutdown,
  ],
  exports: [REDIS],
})
export class RedisModule {}
