import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { RedisConfig } from '../../config/sections/redis.config';
import { QueueConnections } from './queue-connections';

/** Configures Bull with the service's Redis connections. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [RedisConfig, QueueConnections],
      useFactory: (config: RedisConfig, connections: QueueConnections) => ({
        prefix: config.prefix,
        createClient: (type, options) => connections.open(type, options),
      }),
    }),
  ],
  providers: [QueueConnections],
  exports: [QueueConnections],
})
export class QueuesModule {}
