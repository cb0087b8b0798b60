import { Controller, Get, Param, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { LimitsConcurrency } from '../auth/limits/concurrency.interceptor';
import { ParseIdPipe } from '../common/http/requests/id.pipe';
import { ApiEndpoint, ApiData, ApiErrors, ApiIdParam } from '../common/http/openapi-decorators';
import { DeviceNotFound } from '../devices/devices.errors';
import { toBatchWithMessagesResponse, BatchWithMessagesResponse } from './dto/batch.response';
import { MessageResponse, toMessageResponse } from './dto/message.response';
import { BatchNotFound, MessageNotFound } from './messages.errors';
import { MessagesService } from './messages.service';

@ApiTags('Gateway')
@Controller('gateway/devices/:id')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get('sms/:smsId')
  @ApiEndpoint('getMessage', 'Read a message', 'Returns its delivery status and all recorded times.')
  @ApiIdParam('id', 'Device id')
  @ApiIdParam('smsId', 'Message id')
  @ApiData(MessageResponse, 'The message')
  @ApiErrors(DeviceNotFound, MessageNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsId', ParseIdPipe) id: Types.ObjectId,
  ): Promise<MessageResponse> {
    return toMessageResponse(await this.messages.get(account, device, id));
  }

  @LimitsConcurrency('lists', 50)
  @Get('sms-batch/:smsBatchId')
  @ApiEndpoint(
    'getBatch',
    'Read a batch',
    'Returns the batch and its messages, in the order of the recipients.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiIdParam('smsBatchId', 'Batch id, from the response of the send request')
  @ApiData(BatchWithMessagesResponse, 'The batch with its messages')
  @ApiErrors(DeviceNotFound, BatchNotFound)
  async getBatch(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsBatchId', ParseIdPipe) id: Types.ObjectId,
  ): Promise<BatchWithMessagesResponse | StreamableFile> {
    return toBatchWithMessagesResponse(await this.messages.getBatch(account, device, id));
  }
}
