import { Module } from '@nestjs/common';
import { DispatchProcessor } from './dispatch.processor';
import { DispatchScheduler } from './dispatch.scheduler';
import { ProbeScheduler } from './probe.scheduler';
import { SendScheduler } from './send.scheduler';
import { GatewayModule } from './gateway.module';

/** Runs dispatch jobs: for processes with the worker role. */
@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

/** Finds work that lost its job: for processes with the scheduler role. */
@Module({ imports: [GatewayModule], providers: [DispatchScheduler, ProbeScheduler, SendScheduler] })
export class GatewaySchedulerModule {}
