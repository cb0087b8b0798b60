import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { registerQueue } from '../infrastructure/queues/register-queue';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { LimitsModule } from '../auth/limits/limits.module';
import { ContactsModule } from '../contacts/contacts.module';
import { DevicesModule } from '../devices/devices.module';
import { Batch, BatchSchema } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import { ConversationContacts } from './conversations/conversation-contacts.service';
import { ConversationProjector } from './conversations/conversation-projector.service';
import { Conversation, ConversationSchema } from './conversations/conversation.schema';
import { ConversationsRepository } from './conversations/conversations.repository';
import { ConversationsScheduler } from './conversations/conversations.scheduler';
import { ConversationsService } from './conversations/conversations.service';
import { ConversationMessagesRepository } from './conversations/conversation-messages.repository';
import { MessageChanges } from './changes/message-changes.service';
import { Message, MessageSchema } from './message.schema';
import { MessageDeletionRepository } from './deletion/message-deletion.repository';
import { MessageDeletionService } from './deletion/message-deletion.service';
import { ListCountService } from './lists/list-count.service';
import { MessageListRepository } from './lists/message-list.repository';
import { MessageListService } from './lists/message-list.service';
import { MessagesRepository } from './messages.repository';
import { MessagesService } from './messages.service';
import { MessageRedeliveryRepository } from './message-redelivery.repository';
import { OUTBOX_QUEUE, OutboxQueue } from './outbox/outbox.queue';
import { OutboxRepository } from './outbox/outbox.repository';
import { AttemptReportsRepository } from './reports/attempt-reports.repository';
import { SimOutcomeRecorder } from './reports/sim-outcome-recorder.service';
import { SimOutcomesRepository } from './reports/sim-outcomes.repository';
import { ReportsRepository } from './reports/reports.repository';
import { ReportsService } from './reports/reports.service';
import { View, ViewSchema } from './views/view.schema';
import { ViewsRepository } from './views/views.repository';
import { ViewsService } from './views/views.service';

/** The providers that other modules use, too. */
const SHARED = [
  BatchesRepository,
  ConversationProjector,
  ConversationsService,
  MessageChanges,
  MessageDeletionService,
  MessageListService,
  MessagesRepository,
  MessagesService,
  OutboxQueue,
  OutboxRepository,
  MessageRedeliveryRepository,
  ReportsService,
  ViewsService,
];

/** Messages and batches: state machine, status reports, event outbox, lists, conversations, saved views and deletion. */
@Module({
  imports: [
    AuthModule,
    ContactsModule,
    LimitsModule,
    registerQueue(OUTBOX_QUEUE),
    DevicesModule,
    MongooseModule.forFeature([
      { name: Batch.name, schema: BatchSchema },
      { name: Conversation.name, schema: ConversationSchema },
      { name: Message.name, schema: MessageSchema },
      { name: View.name, schema: ViewSchema },
    ]),
  ],
  providers: [
    AttemptReportsRepository,
    ConversationContacts,
    ConversationsRepository,
    ListCountService,
    MessageDeletionRepository,
    MessageListRepository,
    SimOutcomeRecorder,
    SimOutcomesRepository,
    ReportsRepository,
    ConversationMessagesRepository,
    ViewsRepository,
    ...SHARED,
  ],
  exports: [...SHARED, BullModule, MongooseModule],
})
export class MessagesModule {}

/** Keeps conversations up to date, in processes with the scheduler role. */
@Module({ imports: [MessagesModule], providers: [ConversationsScheduler] })
export class MessagesSchedulerModule {}
