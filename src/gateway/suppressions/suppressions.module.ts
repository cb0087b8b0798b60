import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { ConsentModule } from '../../consent/consent.module';
import { ContactsModule } from '../../contacts/contacts.module';
import { MessagesModule } from '../../messages/messages.module';
import { CancellationModule } from '../cancellation/cancellation.module';
import { SendsModule } from '../sends/sends.module';
import { AutoReplySender } from './auto-reply-sender.service';
import { OptOutCandidates } from './opt-out-candidates.service';
import { OptOuts } from './opt-outs.service';
import { ReceivedTextsRepository } from './received-texts.repository';
import { SuppressedMessagesRepository } from './suppressed-messages.repository';
import { SuppressedMessages } from './suppressed-messages.service';
import { SuppressionChecks } from './suppression-check.service';
import { SuppressionViews } from './suppression-views.service';
import { Suppressions } from './suppressions.service';

const EXPORTED = [
  AutoReplySender,
  OptOutCandidates,
  OptOuts,
  SuppressedMessages,
  SuppressionChecks,
  Suppressions,
];

/** Obeys blocks: fails what is for blocked numbers, changes blocks as people and owners say, and answers people. */
@Module({
  imports: [AuthModule, CancellationModule, ConsentModule, ContactsModule, MessagesModule, SendsModule],
  providers: [...EXPORTED, ReceivedTextsRepository, SuppressedMessagesRepository, SuppressionViews],
  exports: EXPORTED,
})
export class SuppressionsModule {}
