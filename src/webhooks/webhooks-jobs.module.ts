import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { UpkeepModule } from '../common/upkeep/upkeep.module';
import { DeliveryProcessor } from './delivery.processor';
import { DeliveryRunners, MOST_RUNNERS } from './delivery-runners.service';
import { RelayProcessor } from './relay.processor';
import { DeliveryRemovalRepository } from './upkeep/delivery-removal.repository';
import { DeliveryRetentionService } from './upkeep/delivery-retention.service';
import { SubscriptionTotalsRecount } from './upkeep/subscription-totals.recount';
import { SubscriptionTotalsRepository } from './upkeep/subscription-totals.repository';
import { WebhooksUpkeepScheduler } from './upkeep/webhooks-upkeep.scheduler';
import { WebhooksModule } from './webhooks.module';
import { WebhooksScheduler } from './webhooks.scheduler';

/** Relays events and delivers them: for processes with the worker role. */
@Module({
  imports: [WebhooksModule],
  providers: [{ provide: MOST_RUNNERS, useValue: 250 }, DeliveryProcessor, DeliveryRunners, RelayProcessor],
})
export class WebhooksWorkerModule {}

/** Finds what lost its job, pauses what keeps failing, and keeps the records in order: for the scheduler role. */
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
