import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module';
import { ExpiryScheduler } from './cancellation/expiry.scheduler';
import { ConnectionCheckScheduler } from './connections/connection-check.scheduler';
import { DispatchProcessor } from './dispatch/dispatch.processor';
import { DispatchScheduler } from './dispatch/dispatch.scheduler';
import { HeartbeatCheckScheduler } from './heartbeats/heartbeat-check.scheduler';
import { SendRecoveryScheduler } from './sends/acceptance/send-recovery.scheduler';
import { GatewayModule } from './gateway.module';
import { SimHealthScheduler } from './waiting/sim-health.scheduler';
import { WaitingReviewScheduler } from './waiting/waiting-review.scheduler';

/** Runs dispatch jobs: for processes with the worker role. */
@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

/** Scheduled jobs that recover lost work. For processes with the scheduler role. */
@Module({
  imports: [DevicesModule, GatewayModule],
  providers: [
    ConnectionCheckScheduler,
    DispatchScheduler,
    ExpiryScheduler,
    HeartbeatCheckScheduler,
    SendRecoveryScheduler,
    SimHealthScheduler,
    WaitingReviewScheduler,
  ],
})
export class GatewaySchedulerModule {}
