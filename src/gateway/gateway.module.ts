import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { PushModule } from '../push/push.module';
import { DISPATCH_QUEUE, DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';
import { GatewayController } from './gateway.controller';
import { GroupPlanner } from './group-planner.service';
import { IncomingService } from './incoming.service';
import { PhoneStreams } from './phone-streams.service';
import { PhoneController } from './phone.controller';
import { PhoneService } from './phone.service';
import { SendService } from './send.service';
import { SendingDeviceService } from './sending-device.service';
import { StatsService } from './stats.service';

/** Accepts sends, dispatches them in waves, and serves the phones. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    MessagesModule,
    PushModule,
    BullModule.registerQueue({ name: DISPATCH_QUEUE }),
  ],
  controllers: [GatewayController, PhoneController],
  providers: [
    DispatchQueue,
    DispatchService,
    GroupPlanner,
    IncomingService,
    PhoneService,
    PhoneStreams,
    SendService,
    SendingDeviceService,
    StatsService,
  ],
  exports: [
    BullModule,
    DispatchQueue,
    DispatchService,
    IncomingService,
    MessagesModule,
    SendService,
    StatsService,
  ],
})
export class GatewayModule {}
