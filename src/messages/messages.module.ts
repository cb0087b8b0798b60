import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { registerQueue } from '../infrastructure/queues/register-queue';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { LimitsModule } from '../auth/limits/limits.module';
import { DevicesModule } from '../devices/devices.module';
import { Batch, BatchSchema } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import { ConversationsModule } from './conversations/conversations.module';
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
import { ViewsModule } from './views/views.module';

/** The providers that other modules use, too. */
const SHARED = [
  BatchesRepository,
  MessageChanges,
  MessageDeletionService,
  MessageListService,
  MessagesRepository,
  MessagesService,
  OutboxQueue,
  OutboxRepository,
  MessageRedeliveryRepository,
  ReportsService,
];

/** Messages and batches: state machine, status reports, event outbox, lists and deletion; with their conversations and saved views. */
@Module({
  imports: [
    AuthModule,
    ConversationsModule,
    DevicesModule,
    LimitsModule,
    ViewsModule,
    registerQueue(OUTBOX_QUEUE),
    MongooseModule.forFeature([
      { name: Batch.name, schema: BatchSchema },
      { name: Message.name, schema: MessageSchema },
    ]),
  ],
  providers: [
    AttemptReportsRepository,
    ListCountService,
    MessageDeletionRepository,
    MessageListRepository,
    SimOutcomeRecorder,
    SimOutcomesRepository,
    ReportsRepository,
    ...SHARED,
  ],
  exports: [...SHARED, BullModule, ConversationsModule, MongooseModule, ViewsModule],
})
export class MessagesModule {}
