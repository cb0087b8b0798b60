import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module';
import { DispatchProcessor } from './dispatch/dispatch.processor';
import { DispatchScheduler } from './dispatch/dispatch.scheduler';
import { SendRecoveryScheduler } from './sends/acceptance/send-recovery.scheduler';
import { GatewayModule } from './gateway.module';
import { GatewayScheduler } from './gateway.scheduler';

/** Runs dispatch jobs: for processes with the worker role. */
@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

/** Scheduled jobs that recover lost work. For processes with the scheduler role. */
@Module({
  imports: [DevicesModule, GatewayModule],
  providers: [DispatchScheduler, GatewayScheduler, SendRecoveryScheduler],
})
export class GatewaySchedulerModule {}
