import { Module } from '@nestjs/common';
import { ConsentModule } from '../../consent/consent.module';
import { MessagesModule } from '../../messages/messages.module';
import { CancellationModule } from '../cancellation/cancellation.module';
import { OptOuts } from './opt-outs.service';
import { SuppressedMessagesRepository } from './suppressed-messages.repository';
import { SuppressedMessages } from './suppressed-messages.service';
import { Suppressions } from './suppressions.service';

const EXPORTED = [OptOuts, SuppressedMessages, Suppressions];

/** Obeys blocks: fails what is for blocked numbers, and changes blocks as people and owners say. */
@Module({
  imports: [CancellationModule, ConsentModule, MessagesModule],
  providers: [...EXPORTED, SuppressedMessagesRepository],
  exports: EXPORTED,
})
export class SuppressionsModule {}
