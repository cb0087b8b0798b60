import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module';
import { BatchRecoveryScheduler } from './batch-recovery.scheduler';
import { DispatchProcessor } from './dispatch/dispatch.processor';
import { DispatchScheduler } from './dispatch/dispatch.scheduler';
import { GatewayModule } from './gateway.module';
import { LoopTestsScheduler } from './loop-tests/loop-tests.scheduler';
import { GatewayScheduler } from './gateway.scheduler';

/** Runs dispatch jobs: for processes with the worker role. */
@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

/** Runs scheduled jobs: for processes with the scheduler role. */
@Module({
  imports: [DevicesModule, GatewayModule],
  providers: [BatchRecoveryScheduler, DispatchScheduler, GatewayScheduler, LoopTestsScheduler],
})
export class GatewaySchedulerModule {}
