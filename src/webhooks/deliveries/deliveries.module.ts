import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module';
import { OutboundHttpModule } from '../../infrastructure/outbound-http/outbound-http.module';
import { registerQueue } from '../../infrastructure/queues/register-queue';
import { SubscriptionPauseRepository } from '../pausing/subscription-pause.repository';
import { SubscriptionPauseService } from '../pausing/subscription-pause.service';
import { WebhookSubscription, WebhookSubscriptionSchema } from '../webhook-subscription.schema';
import { DeliveryAttemptsService } from '../attempts/delivery-attempts.service';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryRetention } from './delivery-retention.service';
import { DeliveryMetrics } from './delivery.metrics';
import { Delivery, DeliverySchema } from './delivery.schema';
import { DELIVERY_QUEUE, DeliveryQueue } from '../runners/delivery.queue';
import { LocalRunners } from '../runners/local-runners';
import { RunnerLeasesRepository } from '../runners/runner-leases.repository';
import { SubscriptionTotalsRepository } from './subscription-totals.repository';
import { SubscriptionTotals } from './subscription-totals.service';

const SERVICES = [
  DeliveriesRepository,
  DeliveryAttemptsService,
  DeliveryMetrics,
  DeliveryQueue,
  DeliveryRetention,
  LocalRunners,
  RunnerLeasesRepository,
  SubscriptionPauseRepository,
  SubscriptionPauseService,
  SubscriptionTotals,
];

/** Stored deliveries: their attempts, their queue, the counters of their subscriptions, and pauses, which abort them. */
@Module({
  imports: [
    EncryptionModule,
    MongooseModule.forFeature([
      { name: Delivery.name, schema: DeliverySchema },
      { name: WebhookSubscription.name, schema: WebhookSubscriptionSchema },
    ]),
    OutboundHttpModule,
    registerQueue(DELIVERY_QUEUE),
  ],
  providers: [...SERVICES, SubscriptionTotalsRepository],
  exports: [...SERVICES, BullModule, EncryptionModule, MongooseModule],
})
export class WebhookDeliveriesModule {}
