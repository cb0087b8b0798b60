import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { QueueConnections } from './queue-connections';

/**
 * How long Bull waits for a job, and for one that is delayed, before it asks Redis again. By default it asks every 5 s; the schedulers find jobs that
 * it misses in the meantime.
 */
const IDLE_MS = MINUTE_MS;

/** Configures Bull with the service's Redis connections. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [QueueConnections],
      useFactory: (connections: QueueConnections) => ({
        createClient: (type, options) => connections.open(type, options),
        settings: { drainDelay: IDLE_MS / SECOND_MS, guardInterval: IDLE_MS },
      }),
    }),
  ],
  providers: [QueueConnections],
  exports: [QueueConnections],
})
export class QueuesModule {}
