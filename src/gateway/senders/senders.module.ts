import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { PushModule } from '../../push/push.module';
import { DeviceSenders } from './device-senders.service';
import { LaneTimelines } from './lane-timelines.service';
import { PoolMembersReader } from './pool-members.service';
import { PoolMessagesRepository } from './pool-messages.repository';
import { PoolSenders } from './pool-senders.service';
import { PoolViews } from './pool-views.service';
import { SendingDeviceService } from './sending-device.service';

const EXPORTED = [
  DeviceSenders,
  LaneTimelines,
  PoolMessagesRepository,
  PoolSenders,
  PoolViews,
  SendingDeviceService,
];

/** Chooses the phone or SIM of each message of a send, and keeps the time that large sends take of it. */
@Module({
  imports: [DevicesModule, MessagesModule, PushModule],
  providers: [...EXPORTED, PoolMembersReader],
  exports: EXPORTED,
})
export class SendersModule {}
