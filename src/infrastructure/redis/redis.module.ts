import { Global, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { RedisConfig } from '../../config/sections/redis.config';
import { AccessChanges } from './access-changes';
import { REDIS_TIMEOUT_MS, RedisCircuitBreaker } from './redis-circuit-breaker';
import { RateLimiterFactory } from './rate-limiter';
import { REDIS, type RedisClient } from './redis-client';
import { connectRedis } from './redis-connection';
import { RedisConnections } from './redis-connections';
import { RedisPublisher } from './redis-publisher';
import { RedisSubscriber } from './redis-subscriber';

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [RedisConfig],
      useFactory: (config: RedisConfig) => connectRedis(config),
    },
    AccessChanges,
    { provide: REDIS_TIMEOUT_MS, useValue: SECOND_MS },
    RedisCircuitBreaker,
    RateLimiterFactory,
    RedisConnections,
    RedisPublisher,
    RedisSubscriber,
  ],
  exports: [
    AccessChanges,
    RedisCircuitBreaker,
    RateLimiterFactory,
    REDIS,
    RedisConnections,
    RedisPublisher,
    RedisSubscriber,
  ],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
