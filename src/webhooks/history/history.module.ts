import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { WebhookDeliveriesModule } from '../deliveries/deliveries.module';
import { WebhookSubscriptionsModule } from '../subscriptions/subscriptions.module';
import { DeliveryHistoryRepository } from './delivery-history.repository';
import { DeliveryHistoryService } from './delivery-history.service';

/** Past deliveries. */
@Module({
  imports: [DevicesModule, WebhookDeliveriesModule, WebhookSubscriptionsModule],
  providers: [DeliveryHistoryRepository, DeliveryHistoryService],
  exports: [DeliveryHistoryService],
})
export class WebhookHistoryModule {}
