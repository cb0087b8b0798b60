import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { OutboundHttpModule } from '../../infrastructure/outbound-http/outbound-http.module';
import { WebhookDeliveriesModule } from '../deliveries/deliveries.module';
import { SampleService } from './sample.service';
import { SecretReencryptionService } from './secret-reencryption.service';
import { SubscriptionViews } from './subscription-views.service';
import { WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { WebhookSubscriptionsService } from './webhook-subscriptions.service';

/** Subscriptions of URLs to events. */
@Module({
  imports: [DevicesModule, OutboundHttpModule, WebhookDeliveriesModule],
  providers: [
    SampleService,
    SecretReencryptionService,
    SubscriptionViews,
    WebhookSubscriptionsRepository,
    WebhookSubscriptionsService,
  ],
  exports: [SampleService, WebhookSubscriptionsRepository, WebhookSubscriptionsService],
})
export class WebhookSubscriptionsModule {}
