import { Module } from '@nestjs/common';
import { WebhookHistoryModule } from './history/history.module';
import { WebhookRedeliveryModule } from './redelivery/redelivery.module';
import { WebhookRelayModule } from './relay/relay.module';
import { WebhookSubscriptionsModule } from './subscriptions/subscriptions.module';

/** Webhooks, for other modules: subscriptions, the history of their deliveries, redelivery, and the relay for `admin events`. */
@Module({
  imports: [WebhookHistoryModule, WebhookRedeliveryModule, WebhookRelayModule, WebhookSubscriptionsModule],
  exports: [WebhookHistoryModule, WebhookRedeliveryModule, WebhookRelayModule, WebhookSubscriptionsModule],
})
export class WebhooksModule {}
