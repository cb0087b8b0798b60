import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { NoticesModule } from '../../notices/notices.module';
import { WebhookDeliveriesModule } from '../deliveries/deliveries.module';
import { WebhookSubscriptionsModule } from '../subscriptions/subscriptions.module';
import { EventFanOutService } from './event-fan-out.service';
import { MessageEvents } from './event-source';
import { IsolatedRelayService } from './isolated-relay.service';
import { OperationalRelayService } from './operational-relay.service';
import { OutboxRelayService } from './outbox-relay.service';

const SERVICES = [IsolatedRelayService, OperationalRelayService, OutboxRelayService];

/** Turns the events in outboxes into deliveries. */
@Module({
  imports: [
    DevicesModule,
    MessagesModule,
    NoticesModule,
    WebhookDeliveriesModule,
    WebhookSubscriptionsModule,
  ],
  providers: [...SERVICES, EventFanOutService, MessageEvents],
  exports: SERVICES,
})
export class WebhookRelayModule {}
