import { Controller, Get, Param } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { ParseIdPipe } from '../common/http/id.pipe';
import { BatchWithMessagesResponse, toBatchResponse } from './dto/batch.response';
import { MessageResponse, toMessageResponse } from './dto/message.response';
import { MessagesService } from './messages.service';

@Controller('gateway/devices/:id')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get('sms/:smsId')
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsId', ParseIdPipe) id: Types.ObjectId,
  ): Promise<MessageResponse> {
    return toMessageResponse(await this.messages.get(account, device, id));
  }

  @Get('sms-batch/:smsBatchId')
  async getBatch(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsBatchId', ParseIdPipe) id: Types.ObjectId,
  ): Promise<BatchWithMessagesResponse> {
    return toBatchResponse(await this.messages.getBatch(account, device, id));
  }
}
