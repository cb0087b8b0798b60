import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { SecretBox } from '../common/secret-box';
import { WebhooksConfig } from '../config/webhooks.config';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { AttemptsService } from './attempts.service';
import { AutoPauseService } from './auto-pause.service';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryHistoryRepository } from './delivery-history.repository';
import { DeliveryHistoryService } from './delivery-history.service';
import { DeliveryMetrics } from './delivery.metrics';
import { DELIVERY_QUEUE, DeliveryQueue } from './delivery.queue';
import { Delivery, DeliverySchema } from './delivery.schema';
import { Jitter, RandomJitter } from './jitter';
import { NotificationsController } from './notifications.controller';
import { LoneRelayService } from './lone-relay.service';
import { MessageRelay } from './message-relay.service';
import { AddressPolicy } from './outbound/address-policy';
import { NameLookup, SystemNameLookup } from './outbound/name-lookup';
import { OUTBOUND_OPTIONS, OutboundHttp } from './outbound/outbound-http';
import { PausingService } from './pausing.service';
import { RedeliveryRepository } from './redelivery.repository';
import { RedeliveryService } from './redelivery.service';
import { RelayService } from './relay.service';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { SampleService } from './sample.service';
import { SecretRotationService } from './secret-rotation.service';
import { Subscription, SubscriptionSchema } from './subscription.schema';
import { SubscriptionsRepository } from './subscriptions.repository';
import { SubscriptionsService } from './subscriptions.service';
import { WebhooksController } from './webhooks.controller';

/** Subscriptions, and every event on its way to them. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    MessagesModule,
    MongooseModule.forFeature([
      { name: Delivery.name, schema: DeliverySchema },
      { name: Subscription.name, schema: SubscriptionSchema },
    ]),
    BullModule.registerQueue({ name: DELIVERY_QUEUE }),
  ],
  // The more specific path first: what stands behind `webhooks/` is an id otherwise.
  controllers: [NotificationsController, WebhooksController],
  providers: [
    {
      provide: AddressPolicy,
      inject: [WebhooksConfig],
      useFactory: (config: WebhooksConfig) => new AddressPolicy(config.allowedCidrs),
    },
    { provide: Jitter, useClass: RandomJitter },
    { provide: NameLookup, useFactory: () => new SystemNameLookup() },
    { provide: OUTBOUND_OPTIONS, useValue: {} },
    AttemptsService,
    AutoPauseService,
    DeliveriesRepository,
    DeliveryHistoryRepository,
    DeliveryHistoryService,
    DeliveryMetrics,
    DeliveryQueue,
    LoneRelayService,
    MessageRelay,
    OutboundHttp,
    PausingService,
    RedeliveryRepository,
    RedeliveryService,
    RelayService,
    RunnerLeasesRepository,
    SampleService,
    SecretBox,
    SecretRotationService,
    SubscriptionsRepository,
    SubscriptionsService,
  ],
  exports: [
    AttemptsService,
    AutoPauseService,
    BullModule,
    DeliveriesRepository,
    DeliveryHistoryService,
    DeliveryMetrics,
    DeliveryQueue,
    Jitter,
    LoneRelayService,
    MessagesModule,
    MongooseModule,
    PausingService,
    RedeliveryService,
    RelayService,
    RunnerLeasesRepository,
    SampleService,
    SecretRotationService,
    SubscriptionsService,
    SubscriptionsRepository,
  ],
})
export class WebhooksModule {}
