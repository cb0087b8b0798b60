import { Module } from '@nestjs/common';
import { BullModule } from '@nestjs/bull';
import { RedisConfig } from '../../config/redis.config';

/** Bull, on the Redis of the configuration. */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [RedisConfig],
      useFactory: (config: RedisConfig) => ({ url: config.url, prefix: config.prefix }),
    }),
  ],
})
export class QueuesModule {}
