import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { CancellationModule } from '../gateway/cancellation/cancellation.module';
import { MessagesModule } from '../messages/messages.module';
import { PhonesModule } from './phones.module';
import { ReplacementController } from './replacement/http/replacement.controller';
import { PhoneMessagesController } from './textbee/phone-messages.controller';
import { PhoneController } from './textbee/phone.controller';

/**
 * The routes below the API's path that phones call, and that by which an owner replaces a phone. The app SMSGate has a path and a module
 * of its own (`smsgate`).
 */
@Module({
  imports: [AuthModule, CancellationModule, DevicesModule, MessagesModule, PhonesModule],
  controllers: [PhoneController, PhoneMessagesController, ReplacementController],
})
export class PhonesHttpModule {}
