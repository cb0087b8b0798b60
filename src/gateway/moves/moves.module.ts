import { Module } from '@nestjs/common';
import { DevicesModule } from '../../devices/devices.module';
import { RoutingModule } from '../routing/routing.module';
import { SendersModule } from '../senders/senders.module';
import { WaitingMoves } from './waiting-moves.service';

/** Moves waiting messages to the phone that their owner has chosen. */
@Module({
  imports: [DevicesModule, RoutingModule, SendersModule],
  providers: [WaitingMoves],
  exports: [WaitingMoves],
})
export class MovesModule {}
