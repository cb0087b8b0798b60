import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { AuthModule } from '../../auth/auth.module';
import { DevicesModule } from '../../devices/devices.module';
import { CancellationModule } from '../../gateway/cancellation/cancellation.module';
import { RoutingModule } from '../../gateway/routing/routing.module';
import { MessagesModule } from '../../messages/messages.module';
import { PairingCodesModule } from '../../pairing-codes/pairing-codes.module';
import { PushModule } from '../../push/push.module';
import { PhonesModule } from '../phones.module';
import { AppHooks } from './app-hooks.service';
import { ReceptionExports } from './reception-exports.service';
import { SmsGateController } from './smsgate.controller';
import { SmsGateHooks } from './smsgate-hooks.service';
import { SmsGateRegistration } from './smsgate-registration.service';
import { SmsGateReports } from './smsgate-reports.service';
import { SmsGateStreams } from './smsgate-streams.service';

/** The phone protocol of the app SMS Gateway for Android (SMSGate). Only translates. */
@Module({
  imports: [
    AuthModule,
    CancellationModule,
    DevicesModule,
    MessagesModule,
    PairingCodesModule,
    PhonesModule,
    PushModule,
    RoutingModule,
  ],
  controllers: [SmsGateController],
  providers: [AppHooks, ReceptionExports, SmsGateHooks, SmsGateRegistration, SmsGateReports, SmsGateStreams],
})
export class SmsGateHttpModule {
  /** @param path of the routes; empty: none. */
  static at(path: string): (DynamicModule | typeof SmsGateHttpModule)[] {
    return path ? [SmsGateHttpModule, RouterModule.register([{ path, module: SmsGateHttpModule }])] : [];
  }
}
