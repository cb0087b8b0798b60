import { Module } from '@nestjs/common';
import { WebhookDeliveriesModule } from '../deliveries/deliveries.module';
import { WebhookHistoryModule } from '../history/history.module';
import { WebhookSubscriptionsModule } from '../subscriptions/subscriptions.module';
import { RedeliveryRepository } from './redelivery.repository';
import { WebhookRedeliveryService } from './webhook-redelivery.service';

/** Delivers past events again, one or those of a time range. */
@Module({
  imports: [WebhookDeliveriesModule, WebhookHistoryModule, WebhookSubscriptionsModule],
  providers: [RedeliveryRepository, WebhookRedeliveryService],
  exports: [WebhookRedeliveryService],
})
export class WebhookRedeliveryModule {}
