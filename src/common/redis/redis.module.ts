import { Global, Inject, Injectable, Module, OnApplicationShutdown } from '@nestjs/common';
import type Redis from 'ioredis';
import { RedisConfig } from '../../config/redis.config';
import { AccessChanges } from './access-changes';
import { OptionalRedis } from './optional-redis';
import { RateLimits } from './rate-limits';
import { connectRedis, REDIS } from './redis-connection';

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
      useFactory: (config: RedisConfig) => connectRedis(config.url),
    },
    AccessChanges,
    OptionalRedis,
    RateLimits,
    RedisShutdown,
  ],
  exports: [AccessChanges, OptionalRedis, RateLimits, REDIS],
})
export class RedisModule {}
