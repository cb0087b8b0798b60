import { Module } from '@nestjs/common';
import { AttemptResults } from './deliveries/attempt-results.service';
import { DeliveryClaims } from './deliveries/delivery-claims.service';
import { DeliveryProcessor } from './deliveries/delivery.processor';
import { DeliveryRunnerFactory } from './deliveries/delivery-runner.factory';
import { DeliveryRunnerPool, MAX_RUNNERS } from './deliveries/delivery-runner-pool.service';
import { RunnerLeases } from './deliveries/runner-leases.service';
import { OutboxRelayProcessor } from './relay/outbox-relay.processor';
import { OperationalEventsScheduler } from './operational-events.scheduler';
import { WebhooksModule } from './webhooks.module';
import { WebhooksScheduler } from './webhooks.scheduler';

/** Relays and delivers events, in processes with the worker role. */
@Module({
  imports: [WebhooksModule],
  providers: [
    { provide: MAX_RUNNERS, useValue: 250 },
    AttemptResults,
    DeliveryClaims,
    DeliveryProcessor,
    DeliveryRunnerFactory,
    DeliveryRunnerPool,
    OutboxRelayProcessor,
    RunnerLeases,
  ],
})
export class WebhooksWorkerModule {}

/** Retries lost jobs and pauses failing subscriptions, in processes with the scheduler role. */
@Module({ imports: [WebhooksModule], providers: [OperationalEventsScheduler, WebhooksScheduler] })
export class WebhooksSchedulerModule {}
