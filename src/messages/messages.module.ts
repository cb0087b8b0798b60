import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LimitsModule } from '../auth/limits/limits.module';
import { DevicesModule } from '../devices/devices.module';
import { Batch, BatchSchema } from './batch.schema';
import { BatchesRepository } from './batches.repository';
import { CancellationRepository } from './cancellation.repository';
import { DispatchRepository } from './dispatch.repository';
import { MessageMetrics } from './message.metrics';
import { Message, MessageSchema } from './message.schema';
import { MessageListController } from './message-list.controller';
import { MessageListRepository } from './message-list.repository';
import { MessageListService } from './message-list.service';
import { MessageTotals } from './message-totals.service';
import { MessageCountsRepository } from './message-counts.repository';
import { MessagesController } from './messages.controller';
import { MessagesRepository } from './messages.repository';
import { MessageRemovalRepository } from './message-removal.repository';
import { MessagesService } from './messages.service';
import { OUTBOX_QUEUE, OutboxQueue } from './outbox.queue';
import { OutboxRepository } from './outbox.repository';
import { ReportsRepository } from './reports.repository';

/** Message and batch records: the state machine, the outbox, the reads. */
@Module({
  imports: [
    LimitsModule,
    BullModule.registerQueue({ name: OUTBOX_QUEUE }),
    DevicesModule,
    MongooseModule.forFeature([
      { name: Batch.name, schema: BatchSchema },
      { name: Message.name, schema: MessageSchema },
    ]),
  ],
  controllers: [MessageListController, MessagesController],
  providers: [
    BatchesRepository,
    CancellationRepository,
    DispatchRepository,
    MessageCountsRepository,
    MessageListRepository,
    MessageListService,
    MessageTotals,
    MessageMetrics,
    MessageRemovalRepository,
    MessagesRepository,
    MessagesService,
    OutboxQueue,
    OutboxRepository,
    ReportsRepository,
  ],
  exports: [
    BatchesRepository,
    CancellationRepository,
    BullModule,
    DispatchRepository,
    MessageCountsRepository,
    MessageListService,
    MessageMetrics,
    MessageRemovalRepository,
    MessagesRepository,
    MessagesService,
    OutboxQueue,
    OutboxRepository,
  ],
})
export class MessagesModule {}
