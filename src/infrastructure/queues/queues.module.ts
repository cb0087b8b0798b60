import { Global, Module } from '@nestjs/common';
import { QueueConnections } from './queue-connections';

/** The Redis connections of all queues. */
@Global()
@Module({ providers: [QueueConnections], exports: [QueueConnections] })
export class QueuesModule {}
