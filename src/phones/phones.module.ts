import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { DevicesModule } from '../devices/devices.module';
import { DispatchModule } from '../gateway/dispatch/dispatch.module';
import { MessagesModule } from '../messages/messages.module';
import { PushModule } from '../push/push.module';
import { RoutingModule } from '../gateway/routing/routing.module';
import { SendersModule } from '../gateway/senders/senders.module';
import { SuppressionsModule } from '../gateway/suppressions/suppressions.module';
import { WavesModule } from '../gateway/waves/waves.module';
import { ConnectionCheckService } from './checks/connection-check.service';
import { HeartbeatCheckService } from './checks/heartbeat-check.service';
import { IncomingSmsService } from './incoming-sms.service';
import { IncomingSmsStore } from './incoming-sms-store.service';
import { PhoneFetchService } from './phone-fetch.service';
import { PhoneReplacement } from './replacement/phone-replacement.service';
import { PhoneReports } from './phone-reports.service';
import { PhoneService } from './phone.service';
import { PhoneStreamService } from './streams/phone-stream.service';
import { ReceiveLimitService } from './receive-limit.service';
import { RedeliveryPace } from './redelivery-pace.service';
import { StreamAccessService } from './streams/stream-access.service';
import { StreamHandOver } from './streams/stream-hand-over.service';
import { StreamRedelivery } from './streams/stream-redelivery.service';
import { UnconfirmedMessagesRepository } from './checks/unconfirmed-messages.repository';
import { UnconfirmedMessagesService } from './checks/unconfirmed-messages.service';

const EXPORTED = [
  ConnectionCheckService,
  HeartbeatCheckService,
  IncomingSmsService,
  PhoneFetchService,
  PhoneReplacement,
  PhoneReports,
  PhoneService,
  PhoneStreamService,
  UnconfirmedMessagesService,
];

/** What every phone does, whatever its protocol: report, take messages, confirm, upload. The routes are in the folders of protocols. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    DispatchModule,
    MessagesModule,
    PushModule,
    RoutingModule,
    SendersModule,
    SuppressionsModule,
    WavesModule,
  ],
  providers: [
    ...EXPORTED,
    IncomingSmsStore,
    ReceiveLimitService,
    RedeliveryPace,
    StreamAccessService,
    StreamHandOver,
    StreamRedelivery,
    UnconfirmedMessagesRepository,
  ],
  exports: EXPORTED,
})
export class PhonesModule {}
