import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { UpkeepModule } from '../common/upkeep/upkeep.module';
import { AttemptResults } from './deliveries/attempt-results.service';
import { DeliveryClaims } from './deliveries/delivery-claims.service';
import { DeliveryProcessor } from './deliveries/delivery.processor';
import { DeliveryRunnerFactory } from './deliveries/delivery-runner.factory';
import { DeliveryRunnerPool, MAX_RUNNERS } from './deliveries/delivery-runner-pool.service';
import { RunnerLeases } from './deliveries/runner-leases.service';
import { OutboxRelayProcessor } from './relay/outbox-relay.processor';
import { DeliveryRemovalRepository } from './upkeep/delivery-removal.repository';
import { DeliveryRetentionService } from './upkeep/delivery-retention.service';
import { SubscriptionTotalsRecount } from './upkeep/subscription-totals.recount';
import { SubscriptionTotalsRepository } from './upkeep/subscription-totals.repository';
import { WebhooksUpkeepScheduler } from './upkeep/webhooks-upkeep.scheduler';
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

/** Retries lost jobs, pauses failing subscriptions and cleans up, in processes with the scheduler role. */
@Module({
  imports: [AuthModule, UpkeepModule, WebhooksModule],
  providers: [
    DeliveryRemovalRepository,
    DeliveryRetentionService,
    SubscriptionTotalsRecount,
    SubscriptionTotalsRepository,
    WebhooksScheduler,
    WebhooksUpkeepScheduler,
  ],
})
export class WebhooksSchedulerModule {}
