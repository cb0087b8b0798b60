import { Module } from '@nestjs/common';
import { LimitsModule } from '../../auth/limits/limits.module';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { SendersModule } from '../senders/senders.module';
import { WavesModule } from '../waves/waves.module';
import { MessageMovesRepository } from './message-moves.repository';
import { MessageMoves } from './message-moves.service';
import { MessageRouter } from './message-router.service';
import { PausedMessagesRepository } from './paused-messages.repository';
import { WaitingMessagesRepository } from './waiting-messages.repository';
import { MessageAdmission } from './message-admission.service';
import { WaitingReview } from './waiting-review.service';

const EXPORTED = [
  MessageAdmission,
  MessageMoves,
  MessageMovesRepository,
  MessageRouter,
  PausedMessagesRepository,
  WaitingMessagesRepository,
  WaitingReview,
];

/** Decides which SIM a due message leaves by, and keeps what may not leave yet. */
@Module({
  imports: [DevicesModule, LimitsModule, MessagesModule, SendersModule, WavesModule],
  providers: EXPORTED,
  exports: EXPORTED,
})
export class RoutingModule {}
