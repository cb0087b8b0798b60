import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module';
import { NoticesModule } from '../notices/notices.module';
import { AttemptResults } from './attempts/attempt-results.service';
import { Jitter, RandomJitter } from './attempts/jitter';
import { WebhookDeliveriesModule } from './deliveries/deliveries.module';
import { DeliveryClaims } from './runners/delivery-claims.service';
import { DeliveryProcessor } from './runners/delivery.processor';
import { DeliveryRunnerFactory } from './runners/delivery-runner.factory';
import { DeliveryRunnerPool, MAX_RUNNERS } from './runners/delivery-runner-pool.service';
import { RunnerLeases } from './runners/runner-leases.service';
import { AutoPauseScheduler } from './pausing/auto-pause.scheduler';
import { WebhooksFallback } from './recovery/webhooks-fallback.service';
import { WebhooksScheduler } from './recovery/webhooks.scheduler';
import { OperationalEventsScheduler } from './relay/operational-events.scheduler';
import { OutboxRelayProcessor } from './relay/outbox-relay.processor';
import { WebhookRelayModule } from './relay/relay.module';

/** Runs delivery runners, in processes with the worker or the scheduler role. */
@Module({
  imports: [WebhookDeliveriesModule],
  providers: [
    { provide: Jitter, useClass: RandomJitter },
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
  imports: [DeliveryRunnersModule, MessagesModule, WebhookDeliveriesModule, WebhookRelayModule],
  providers: [DeliveryProcessor, OutboxRelayProcessor],
})
export class WebhooksWorkerModule {}

/** Relays operational events, retries lost jobs and pauses failing subscriptions, in processes with the scheduler role. */
@Module({
  imports: [
    DeliveryRunnersModule,
    MessagesModule,
    NoticesModule,
    WebhookDeliveriesModule,
    WebhookRelayModule,
  ],
  providers: [AutoPauseScheduler, OperationalEventsScheduler, WebhooksFallback, WebhooksScheduler],
})
export class WebhooksSchedulerModule {}
