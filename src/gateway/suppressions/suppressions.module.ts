import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { ConsentModule } from '../../consent/consent.module';
import { ContactsModule } from '../../contacts/contacts.module';
import { MessagesModule } from '../../messages/messages.module';
import { AutoRepliesModule } from '../auto-replies/auto-replies.module';
import { CancellationModule } from '../cancellation/cancellation.module';
import { LastTopics } from './last-topics.service';
import { OptOutCandidates } from './opt-out-candidates.service';
import { OptOuts } from './opt-outs.service';
import { ReceivedTextsRepository } from './received-texts.repository';
import { SuppressedMessagesRepository } from './suppressed-messages.repository';
import { SuppressedMessages } from './suppressed-messages.service';
import { SuppressionChecks } from './suppression-check.service';
import { Suppressions } from './suppressions.service';

const EXPORTED = [OptOutCandidates, OptOuts, SuppressedMessages, SuppressionChecks, Suppressions];

/** Obeys blocks: fails what is for blocked numbers, and changes blocks as people and owners say. */
@Module({
  imports: [AuthModule, AutoRepliesModule, CancellationModule, ConsentModule, ContactsModule, MessagesModule],
  providers: [...EXPORTED, LastTopics, ReceivedTextsRepository, SuppressedMessagesRepository],
  exports: EXPORTED,
})
export class SuppressionsModule {}
