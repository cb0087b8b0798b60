import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { QueueConnections } from './queue-connections';

/** Configures Bull with the service's Redis connections. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [QueueConnections],
      useFactory: (connections: QueueConnections) => ({
        createClient: (type, options) => connections.open(type, options),
      }),
    }),
  ],
  providers: [QueueConnections],
  exports: [QueueConnections],
})
export class QueuesModule {}
