import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { WebhooksModule } from './webhooks.module';
import { NotificationsController } from './history/http/notifications.controller';
import { RedeliveryController } from './redelivery/http/redelivery.controller';
import { WebhooksController } from './subscriptions/http/webhooks.controller';

/** Routes of webhook subscriptions and their deliveries. */
@Module({
  imports: [AuthModule, WebhooksModule],
  // Express matches in this order: `webhooks/notifications` must not match `webhooks/:webhookId`.
  controllers: [NotificationsController, RedeliveryController, WebhooksController],
})
export class WebhooksHttpModule {}
