import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { SecretCipher } from './subscriptions/secret-cipher';
import { WebhooksConfig } from '../config/sections/webhooks.config';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { DeliveryAttemptsService } from './deliveries/attempts/delivery-attempts.service';
import { DeliveriesRepository } from './deliveries/deliveries.repository';
import { DeliveryHistoryRepository } from './history/delivery-history.repository';
import { DeliveryHistoryService } from './history/delivery-history.service';
import { LocalRunners } from './deliveries/runners/local-runners';
import { DeliveryMetrics } from './deliveries/delivery.metrics';
import { DELIVERY_QUEUE, DeliveryQueue } from './deliveries/runners/delivery.queue';
import { Delivery, DeliverySchema } from './deliveries/delivery.schema';
import { Jitter, RandomJitter } from './deliveries/attempts/jitter';
import { NotificationsController } from './history/notifications.controller';
import { IsolatedRelayService } from './relay/isolated-relay.service';
import { MessageEvents } from './relay/event-source';
import { EventFanOutService } from './relay/event-fan-out.service';
import { AddressPolicy } from '../infrastructure/outbound-http/address-policy';
import { DnsLookup, SystemDnsLookup } from '../infrastructure/outbound-http/dns-lookup';
import { OUTBOUND_OPTIONS, OutboundHttp } from '../infrastructure/outbound-http/outbound-http';
import { SubscriptionPauseService } from './subscriptions/subscription-pause.service';
import { OperationalRelayService } from './relay/operational-relay.service';
import { RedeliveryRepository } from './redelivery/redelivery.repository';
import { WebhookRedeliveryService } from './redelivery/webhook-redelivery.service';
import { OutboxRelayService } from './relay/outbox-relay.service';
import { RunnerLeasesRepository } from './deliveries/runners/runner-leases.repository';
import { DeliveryRetention } from './deliveries/delivery-retention.service';
import { SubscriptionTotalsRepository } from './deliveries/subscription-totals.repository';
import { SubscriptionTotals } from './deliveries/subscription-totals.service';
import { SampleService } from './subscriptions/sample.service';
import { SubscriptionViews } from './subscriptions/subscription-views.service';
import { SigningSecretRotationService } from './subscriptions/signing-secret-rotation.service';
import { WebhookSubscription, WebhookSubscriptionSchema } from './subscriptions/webhook-subscription.schema';
import { WebhookSubscriptionsRepository } from './subscriptions/webhook-subscriptions.repository';
import { WebhookSubscriptionsService } from './subscriptions/webhook-subscriptions.service';
import { WebhooksController } from './subscriptions/webhooks.controller';

/** What other modules use too. */
const SERVICES = [
  DeliveriesRepository,
  DeliveryAttemptsService,
  DeliveryHistoryService,
  DeliveryMetrics,
  DeliveryQueue,
  DeliveryRetention,
  IsolatedRelayService,
  LocalRunners,
  OperationalRelayService,
  OutboxRelayService,
  WebhookRedeliveryService,
  RunnerLeasesRepository,
  SigningSecretRotationService,
  SubscriptionPauseService,
  SubscriptionTotals,
  SubscriptionTotalsRepository,
  WebhookSubscriptionsRepository,
  WebhookSubscriptionsService,
];

@Module({
  imports: [
    AuthModule,
    DevicesModule,
    MessagesModule,
    MongooseModule.forFeature([
      { name: Delivery.name, schema: DeliverySchema },
      { name: WebhookSubscription.name, schema: WebhookSubscriptionSchema },
    ]),
    BullModule.registerQueue({ name: DELIVERY_QUEUE }),
  ],
  // Order matters: `webhooks/notifications` must not match `webhooks/:webhookId`.
  controllers: [NotificationsController, WebhooksController],
  providers: [
    ...SERVICES,
    {
      provide: AddressPolicy,
      inject: [WebhooksConfig],
      useFactory: (config: WebhooksConfig) => new AddressPolicy(config.allowedCidrs),
    },
    { provide: Jitter, useClass: RandomJitter },
    { provide: DnsLookup, useFactory: () => new SystemDnsLookup() },
    { provide: OUTBOUND_OPTIONS, useValue: {} },
    DeliveryHistoryRepository,
    MessageEvents,
    EventFanOutService,
    OutboundHttp,
    RedeliveryRepository,
    SampleService,
    SecretCipher,
    SubscriptionViews,
  ],
  exports: [...SERVICES, BullModule, Jitter, MessagesModule, MongooseModule],
})
export class WebhooksModule {}
