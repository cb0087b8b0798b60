import { Global, Inject, Injectable, Module, OnApplicationShutdown } from '@nestjs/common';
import type Redis from 'ioredis';
import { RedisConfig } from '../../config/sections/redis.config';
import { AccessChanges } from './access-changes';
import { RedisCircuitBreaker } from './redis-circuit-breaker';
import { RateLimiterFactory } from './rate-limiter';
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
    RedisCircuitBreaker,
    RateLimiterFactory,
    RedisShutdown,
  ],
  exports: [AccessChanges, RedisCircuitBreaker, RateLimiterFactory, REDIS],
})
export class RedisModule {}
