import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { UpkeepModule } from '../common/upkeep/upkeep.module';
import { DevicesModule } from '../devices/devices.module';
import { DispatchProcessor } from './dispatch/dispatch.processor';
import { DispatchScheduler } from './dispatch/dispatch.scheduler';
import { HeartbeatCheckScheduler } from './heartbeats/heartbeat-check.scheduler';
import { DeviceTotalsRecount } from './recounts/device-totals.recount';
import { RecountScheduler } from './recounts/recount.scheduler';
import { UsageRecount } from './recounts/usage.recount';
import { RetentionScheduler } from './retention/retention.scheduler';
import { RetentionService } from './retention/retention.service';
import { SendRecoveryScheduler } from './sends/send-recovery.scheduler';
import { GatewayModule } from './gateway.module';

@Module({ imports: [GatewayModule], providers: [DispatchProcessor] })
export class GatewayWorkerModule {}

@Module({
  imports: [AuthModule, BillingModule, DevicesModule, GatewayModule, UpkeepModule],
  providers: [
    DeviceTotalsRecount,
    DispatchScheduler,
    HeartbeatCheckScheduler,
    RecountScheduler,
    RetentionScheduler,
    RetentionService,
    SendRecoveryScheduler,
    UsageRecount,
  ],
})
export class GatewaySchedulerModule {}
