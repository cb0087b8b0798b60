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
import { QueueFiguresService } from './queue-figures.service';
import { QueuePage } from './queue-page';
import { RequestWatch } from './request-watch';
import { SharedGauges } from './shared-gauges.service';
import { StoreFiguresService } from './store-figures.service';

/** Health, metrics and the queue page of a process. */
@Module({
  imports: [AuthModule, GatewayModule, MessagesModule, PushModule, WebhooksModule],
  controllers: [HealthController, MetricsController],
  providers: [HealthService, MetricsService, QueueFiguresService, QueuePage, RequestWatch],
  exports: [QueueFiguresService],
})
export class OpsModule {}

/** Figures that all processes share: for processes with the scheduler role. */
@Module({
  imports: [DevicesModule, MessagesModule, OpsModule],
  providers: [SharedGauges, StoreFiguresService],
})
export class OpsSchedulerModule {}
