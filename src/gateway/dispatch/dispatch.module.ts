import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { PushModule } from '../../push/push.module';
import { RoutingModule } from '../routing/routing.module';
import { SendersModule } from '../senders/senders.module';
import { SuppressionsModule } from '../suppressions/suppressions.module';
import { WavesModule } from '../waves/waves.module';
import { DispatchOutcomes } from './dispatch-outcomes.service';
import { DispatchPermission } from './dispatch-permission.service';
import { DispatchOutcomesRepository } from './dispatch-outcomes.repository';
import { FetchDispatcher } from './fetch-dispatcher.service';
import { FetchWaits } from './fetch-waits.service';
import { GroupPlanner } from './group-planner.service';
import { MessageTaker } from './message-taker.service';
import { PhoneDispatcher } from './phone-dispatcher.service';
import { OfferClaimsRepository } from './offer-claims.repository';
import { MessageOffers } from './message-offers.service';
import { PushClaimsRepository } from './push-claims.repository';
import { WaveDispatcher } from './wave-dispatcher.service';
import { DueWaves } from './due-waves.service';

const EXPORTED = [FetchDispatcher, MessageTaker, WaveDispatcher, DueWaves];

/** Dispatches due waves: claims their messages and hands them to phones. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    MessagesModule,
    PushModule,
    RoutingModule,
    SendersModule,
    SuppressionsModule,
    WavesModule,
  ],
  providers: [
    ...EXPORTED,
    DispatchOutcomes,
    DispatchOutcomesRepository,
    DispatchPermission,
    FetchWaits,
    GroupPlanner,
    MessageOffers,
    OfferClaimsRepository,
    PhoneDispatcher,
    PushClaimsRepository,
  ],
  exports: EXPORTED,
})
export class DispatchModule {}
