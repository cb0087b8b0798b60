import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { GatewayModule } from '../gateway/gateway.module';
import { MessagesModule } from '../messages/messages.module';
import { PushModule } from '../push/push.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { QueueStatsService } from './queue-stats.service';
import { QueuePage } from './queue-page';
import { RequestMetrics } from './request-metrics';
import { SharedGauges } from './shared-gauges.service';
import { DatabaseStatsService } from './database-stats.service';

@Module({
  imports: [AuthModule, DevicesModule, GatewayModule, MessagesModule, PushModule, WebhooksModule],
  controllers: [HealthController, MetricsController],
  providers: [
    DatabaseStatsService,
    HealthService,
    MetricsService,
    QueueStatsService,
    QueuePage,
    RequestMetrics,
  ],
  exports: [DatabaseStatsService, HealthService, QueueStatsService],
})
export class OpsModule {}

/** Metrics of shared state, for processes with the scheduler role. */
@Module({
  imports: [DevicesModule, GatewayModule, OpsModule],
  providers: [SharedGauges],
})
export class OpsSchedulerModule {}
