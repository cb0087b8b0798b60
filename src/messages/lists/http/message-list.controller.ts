import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import type { Page } from '../../../common/http/responses/envelope.interceptor';
import {
  ApiData,
  ApiEndpoint,
  ApiDataPage,
  ApiError,
  ApiErrors,
  ApiFieldError,
} from '../../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { DeletedDevicesRequest, MessageListRequest } from './message-list.request';
import { toMessagePageResponse, MessageListMetaResponse } from './message-list.response';
import { MessageResponse, toMessageResponse } from '../../http/message.response';
import { MessageNotFound } from '../../messages.errors';
import { MessagesService } from '../../messages.service';
import { BatchNotOnAccount, SearchTooSlow } from '../message-list.errors';
import { MessageListService } from '../message-list.service';
import { parseMessageQuery } from '../message-query';
import { LimitsSearches } from './limits-searches.decorator';

@Controller('gateway/messages')
export class MessageListController {
  constructor(
    private readonly lists: MessageListService,
    private readonly messages: MessagesService,
  ) {}

  @LimitsSearches()
  @Get()
  @ApiTags('Messages')
  @ApiEndpoint(
    'listMessages',
    'List the messages of the account',
    'Lists messages across all devices, newest first. To poll for new messages, request order=asc with from, follow nextCursor until hasMore is false, and continue from the last nextCursor that was not null, or with from set to the createdAt of the last message; skip the ids you know. So that none is missed, a list in ascending order ends three seconds before now, unless it is filtered by smsBatchId. A message uploaded more than 24 hours after its reception has its reception time as createdAt, so a poll may already be past it.',
  )
  @ApiDataPage(MessageResponse, MessageListMetaResponse, 'A page of messages with its pagination')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiError(new SearchTooSlow(2_000))
  @ApiErrors(DeviceNotFound, BatchNotOnAccount)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: MessageListRequest,
  ): Promise<Page<MessageResponse, MessageListMetaResponse> | StreamableFile> {
    const page = await this.lists.stream(account, parseMessageQuery(request));
    return toMessagePageResponse(page, page.meta);
  }

  @Get(':id')
  @ApiTags('Messages')
  @ApiEndpoint(
    'getAccountMessage',
    'Read a message of any device',
    'Same as reading it at its device. A message of a deleted device is found with includeDeletedDevices, as in the list.',
  )
  @ApiData(MessageResponse, 'The message')
  @ApiErrors(MessageNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @PathId('Message id') id: Types.ObjectId,
    @Query() { includeDeletedDevices }: DeletedDevicesRequest,
  ) {
    const includesDeletedDevices = includeDeletedDevices === 'true';
    return toMessageResponse(await this.messages.getOfAccount(account, id, { includesDeletedDevices }));
  }
}
