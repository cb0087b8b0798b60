/**
 * The public surface: what another backend of the same installation, such as a dashboard's, imports. It brings the
 * infrastructure once and the modules it wants, calls their services with an `AccountScope`, and runs no jobs unless it
 * imports those modules too. It may run on Express or Fastify. AuthModule guards all routes of the application and then reads
 * their bodies, so create it with `bodyParser: false`; HttpConventionsModule gives them the same answers and errors. Limits
 * by address use the platform's `request.ip`: behind a proxy, set its `trust proxy` or `trustProxy`.
 */
export { type AccountScope, CurrentAccount } from './auth/account-scope';
export { AuthModule } from './auth/auth.module';
export { AuthService } from './auth/auth.service';
export { BillingModule } from './billing/billing.module';
export { BillingService } from './billing/billing.service';
export { HttpConventionsModule } from './common/http/http-conventions.module';
export { loadConfiguration, type Configuration } from './config/configuration';
export { DevicesModule } from './devices/devices.module';
export { DevicesService, type DeviceView } from './devices/devices.service';
export { CancellationService } from './gateway/cancellation.service';
export { GatewayModule } from './gateway/gateway.module';
export { SendService, type Sent } from './gateway/send.service';
export { StatsService, type AccountTotals } from './gateway/stats.service';
export { InfrastructureModule } from './infrastructure.module';
export { MessageListService } from './messages/message-list.service';
export { readMessageQuery, type MessageQuery } from './messages/message-query';
export { MessagesModule } from './messages/messages.module';
export { MessagesService, type BatchView, type MessageView } from './messages/messages.service';
export { DeliveryHistoryService } from './webhooks/delivery-history.service';
export { RedeliveryService } from './webhooks/redelivery.service';
export { SubscriptionsService as WebhookSubscriptionsService } from './webhooks/subscriptions.service';
export { WebhooksModule } from './webhooks/webhooks.module';
