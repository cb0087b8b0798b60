import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { LimitsConcurrency } from '../../auth/http/concurrency.interceptor';
import { PathId } from '../../common/http/requests/path-id.decorator';
import { ApiEndpoint, ApiData, ApiErrors } from '../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { toBatchWithMessagesResponse, BatchWithMessagesResponse } from './batch.response';
import { MessageResponse, toMessageResponse } from './message.response';
import { BatchNotFound, MessageNotFound } from '../messages.errors';
import { MessagesService } from '../messages.service';

@Controller('gateway/devices/:id')
export class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Get('sms/:smsId')
  @ApiTags('Messages')
  @ApiEndpoint('getMessage', 'Read a message', 'Returns its delivery status and all recorded times.')
  @ApiData(MessageResponse, 'The message')
  @ApiErrors(DeviceNotFound, MessageNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') device: Types.ObjectId,
    @PathId('Message id', 'smsId') id: Types.ObjectId,
  ): Promise<MessageResponse> {
    return toMessageResponse(await this.messages.get(account, device, id));
  }

  @LimitsConcurrency('lists', 50)
  @Get('sms-batch/:smsBatchId')
  @ApiTags('Batches')
  @ApiEndpoint('getBatch', 'Read a batch', 'Returns the batch and its messages, in the order of its waves.')
  @ApiData(BatchWithMessagesResponse, 'The batch with its messages')
  @ApiErrors(DeviceNotFound, BatchNotFound)
  async getBatch(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') device: Types.ObjectId,
    @PathId('Batch id, from the response of the send request', 'smsBatchId') id: Types.ObjectId,
  ) {
    return toBatchWithMessagesResponse(await this.messages.getBatch(account, device, id));
  }
}
