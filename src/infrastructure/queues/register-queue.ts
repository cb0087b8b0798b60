import { BullModule } from '@nestjs/bull';
import type { DynamicModule } from '@nestjs/common';
import { RedisConfig } from '../../config/sections/redis.config';

/** Registers a queue. Its keys share a hash tag, because the scripts of Bull need them on one node of a Redis Cluster. */
export const registerQueue = (name: string): DynamicModule =>
  BullModule.registerQueueAsync({
    name,
    inject: [RedisConfig],
    useFactory: ({ prefix }: RedisConfig) => ({ prefix: `{${prefix}:${name}}` }),
  });
