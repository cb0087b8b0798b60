import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ContactsModule } from '../../contacts/contacts.module';
import { DevicesModule } from '../../devices/devices.module';
import { Batch, BatchSchema } from '../batch.schema';
import { Message, MessageSchema } from '../message.schema';
import { ConversationContacts } from './conversation-contacts.service';
import { ConversationMessagesRepository } from './conversation-messages.repository';
import { ConversationProjector } from './conversation-projector.service';
import { Conversation, ConversationSchema } from './conversation.schema';
import { ConversationsRepository } from './conversations.repository';
import { ConversationsScheduler } from './conversations.scheduler';
import { ConversationsService } from './conversations.service';

/** Conversations: the messages with one number, kept in step with them. */
@Module({
  imports: [
    ContactsModule,
    DevicesModule,
    MongooseModule.forFeature([
      { name: Batch.name, schema: BatchSchema },
      { name: Conversation.name, schema: ConversationSchema },
      { name: Message.name, schema: MessageSchema },
    ]),
  ],
  providers: [
    ConversationContacts,
    ConversationMessagesRepository,
    ConversationProjector,
    ConversationsRepository,
    ConversationsService,
  ],
  exports: [ConversationProjector, ConversationsService, MongooseModule],
})
export class ConversationsModule {}

/** Keeps conversations up to date, in processes with the scheduler role. */
@Module({ imports: [ConversationsModule], providers: [ConversationsScheduler] })
export class ConversationsSchedulerModule {}
