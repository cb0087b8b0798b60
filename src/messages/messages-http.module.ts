import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from './messages.module';
import { ConversationsController } from './conversations/http/conversations.controller';
import { DeviceDeletionController } from './deletion/http/device-deletion.controller';
import { MessageDeletionController } from './deletion/http/message-deletion.controller';
import { MessageExportController } from './export/http/message-export.controller';
import { MessageListController } from './lists/http/message-list.controller';
import { MessagesController } from './http/messages.controller';
import { ViewsController } from './views/http/views.controller';

/** Routes of messages, conversations and views. */
@Module({
  imports: [AuthModule, DevicesModule, MessagesModule],
  controllers: [
    ConversationsController,
    DeviceDeletionController,
    MessageDeletionController,
    MessageExportController,
    MessageListController,
    MessagesController,
    ViewsController,
  ],
})
export class MessagesHttpModule {}
