import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { PushModule } from '../push/push.module';
import { AbandonmentService } from './abandonment.service';
import { AcceptanceService } from './acceptance.service';
import { CancellationService } from './cancellation.service';
import { DeviceSendsController } from './device-sends.controller';
import { DISPATCH_QUEUE, DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';
import { GatewayController } from './gateway.controller';
import { GroupPlanner } from './group-planner.service';
import { IdempotentRequests } from './idempotent-requests.service';
import { IncomingService } from './incoming.service';
import { PhoneStreams } from './phone-streams.service';
import { PhoneMessagesController } from './phone-messages.controller';
import { PhoneController } from './phone.controller';
import { PhoneService } from './phone.service';
import { ProbeService } from './probe.service';
import { ReceptionLimit } from './reception-limit.service';
import { SendService } from './send.service';
import { SendingDeviceService } from './sending-device.service';
import { StatsService } from './stats.service';
import { StreamAccess } from './stream-access.service';
import { UnconfirmedService } from './unconfirmed.service';

/** Accepts sends, dispatches them in waves, and serves the phones. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    MessagesModule,
    PushModule,
    BullModule.registerQueue({ name: DISPATCH_QUEUE }),
  ],
  controllers: [DeviceSendsController, GatewayController, PhoneController, PhoneMessagesController],
  providers: [
    AbandonmentService,
    AcceptanceService,
    CancellationService,
    DispatchQueue,
    DispatchService,
    GroupPlanner,
    IdempotentRequests,
    IncomingService,
    PhoneService,
    PhoneStreams,
    ProbeService,
    ReceptionLimit,
    SendService,
    SendingDeviceService,
    StatsService,
    StreamAccess,
    UnconfirmedService,
  ],
  exports: [
    AbandonmentService,
    BullModule,
    CancellationService,
    DispatchQueue,
    DispatchService,
    IncomingService,
    MessagesModule,
    ProbeService,
    SendService,
    StatsService,
    UnconfirmedService,
  ],
})
export class GatewayModule {}
