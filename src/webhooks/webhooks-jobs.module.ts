import { Module } from '@nestjs/common';
import { DeliveryProcessor } from './delivery.processor';
import { DeliveryRunners } from './delivery-runners.service';
import { RelayProcessor } from './relay.processor';
import { WebhooksModule } from './webhooks.module';
import { WebhooksScheduler } from './webhooks.scheduler';

/** Relays events and delivers them: for processes with the worker role. */
@Module({ imports: [WebhooksModule], providers: [DeliveryProcessor, DeliveryRunners, RelayProcessor] })
export class WebhooksWorkerModule {}

/** Finds what lost its job, and pauses what keeps failing: for processes with the scheduler role. */
@Module({ imports: [WebhooksModule], providers: [WebhooksScheduler] })
export class WebhooksSchedulerModule {}
