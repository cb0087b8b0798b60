import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { UpkeepModule } from '../common/upkeep/upkeep.module';
import { DevicesModule } from '../devices/devices.module';
import { DispatchProcessor } from './dispatch.processor';
import { DispatchScheduler } from './dispatch.scheduler';
import { ProbeScheduler } from './probe.scheduler';
import { DeviceTotalsRecount } from './recounts/device-totals.recount';
import { RecountScheduler } from './recounts/recount.scheduler';
import { UsageRecount } from './recounts/usage.recount';
import { RetentionScheduler } from './retention/retention.scheduler';
import { RetentionService } from './retention/retention.service';
import { SendScheduler } from './send.scheduler';
import { GatewayModule } from './gateway.module';

/** Runs dispatch jobs: for processes with the worker role. */
@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

/** Finds work that lost its job, and keeps the records in order: for processes with the scheduler role. */
@Module({
  imports: [AuthModule, BillingModule, DevicesModule, GatewayModule, UpkeepModule],
  providers: [
    DeviceTotalsRecount,
    DispatchScheduler,
    ProbeScheduler,
    RecountScheduler,
    RetentionScheduler,
    RetentionService,
    SendScheduler,
    UsageRecount,
  ],
})
export class GatewaySchedulerModule {}
