import { Module } from '@nestjs/common';
import { AttemptResults } from './deliveries/attempts/attempt-results.service';
import { DeliveryClaims } from './deliveries/runners/delivery-claims.service';
import { DeliveryProcessor } from './deliveries/runners/delivery.processor';
import { DeliveryRunnerFactory } from './deliveries/runners/delivery-runner.factory';
import { DeliveryRunnerPool, MAX_RUNNERS } from './deliveries/runners/delivery-runner-pool.service';
import { RunnerLeases } from './deliveries/runners/runner-leases.service';
import { OutboxRelayProcessor } from './relay/outbox-relay.processor';
import { OperationalEventsScheduler } from './operational-events.scheduler';
import { AutoPauseScheduler } from './subscriptions/auto-pause.scheduler';
import { WebhooksFallback } from './webhooks-fallback.service';
import { WebhooksModule } from './webhooks.module';
import { WebhooksScheduler } from './webhooks.scheduler';

/** Runs delivery runners, in processes with the worker or the scheduler role. */
@Module({
  imports: [WebhooksModule],
  providers: [
    { provide: MAX_RUNNERS, useValue: 250 },
    AttemptResults,
    DeliveryClaims,
    DeliveryRunnerFactory,
    DeliveryRunnerPool,
    RunnerLeases,
  ],
  exports: [DeliveryRunnerPool],
})
class DeliveryRunnersModule {}

/** Relays the events of messages and delivers all events, in processes with the worker role. */
@Module({
  imports: [WebhooksModule, DeliveryRunnersModule],
  providers: [DeliveryProcessor, OutboxRelayProcessor],
})
export class WebhooksWorkerModule {}

/** Relays operational events, retries lost jobs and pauses failing subscriptions, in processes with the scheduler role. */
@Module({
  imports: [WebhooksModule, DeliveryRunnersModule],
  providers: [AutoPauseScheduler, OperationalEventsScheduler, WebhooksFallback, WebhooksScheduler],
})
export class WebhooksSchedulerModule {}
