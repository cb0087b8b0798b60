import { Global, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import type Redis from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { AccessChanges } from './access-changes';
import { REDIS_TIMEOUT_MS, RedisCircuitBreaker } from './redis-circuit-breaker';
import { RateLimiterFactory } from './rate-limiter';
import { connectRedis, REDIS } from './redis-connection';
import { RedisSubscriber } from './redis-subscriber';

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [RedisConfig],
      useFactory: (config: RedisConfig) => connectRedis(config.url),
    },
    AccessChanges,
    { provide: REDIS_TIMEOUT_MS, useValue: SECOND_MS },
    RedisCircuitBreaker,
    RateLimiterFactory,
    RedisSubscriber,
  ],
  exports: [AccessChanges, RedisCircuitBreaker, RateLimiterFactory, REDIS, RedisSubscriber],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
