import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { CancellationModule } from '../gateway/cancellation/cancellation.module';
import { MessagesModule } from '../messages/messages.module';
import { PhonesModule } from './phones.module';
import { ReplacementController } from './replacement/http/replacement.controller';
import { PhoneMessagesController } from './textbee/phone-messages.controller';
import { PhoneController } from './textbee/phone.controller';

/** The routes that phones call, by protocol, and that by which an owner replaces a phone. Each protocol stands in a folder of its own, and only translates. */
@Module({
  imports: [AuthModule, CancellationModule, DevicesModule, MessagesModule, PhonesModule],
  controllers: [PhoneController, PhoneMessagesController, ReplacementController],
})
export class PhonesHttpModule {}
