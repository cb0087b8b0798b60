import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { RoutingModule } from '../gateway/routing/routing.module';
import { WavesModule } from '../gateway/waves/waves.module';
import { MessagesModule } from '../messages/messages.module';
import { PushModule } from '../push/push.module';
import { WebhookDeliveriesModule } from '../webhooks/deliveries/deliveries.module';
import { HealthService } from './health.service';
import { MetricsService } from './metrics.service';
import { QueueStatsService } from './queue-stats.service';
import { QueuePage } from './queue-page';
import { RequestMetrics } from './request-metrics';
import { SharedGauges } from './shared-gauges.service';
import { DatabaseStatsService } from './database-stats.service';

@Module({
  imports: [AuthModule, DevicesModule, MessagesModule, PushModule, WavesModule, WebhookDeliveriesModule],
  providers: [
    DatabaseStatsService,
    HealthService,
    MetricsService,
    QueueStatsService,
    QueuePage,
    RequestMetrics,
  ],
  exports: [DatabaseStatsService, HealthService, MetricsService, QueueStatsService],
})
export class OpsModule {}

/** Metrics of shared state, for processes with the scheduler role. */
@Module({
  imports: [DevicesModule, OpsModule, RoutingModule],
  providers: [SharedGauges],
})
export class OpsSchedulerModule {}
