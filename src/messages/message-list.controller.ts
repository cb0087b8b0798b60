import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { LimitsConcurrency } from '../auth/limits/limits-concurrency';
import type { Page } from '../common/http/envelope.interceptor';
import {
  ApiAction,
  ApiDataPage,
  ApiError,
  ApiErrors,
  ApiFieldError,
} from '../common/http/openapi-decorators';
import { DeviceNotFound } from '../devices/devices.errors';
import { MessageListRequest } from './dto/message-list.request';
import { answerPage, MessageListMetaResponse } from './dto/message-list.response';
import { MessageResponse } from './dto/message.response';
import { BatchNotOnAccount, SearchTooSlow } from './message-list.errors';
import { MessageListService } from './message-list.service';
import { readMessageQuery } from './message-query';

@Controller('gateway/messages')
export class MessageListController {
  constructor(private readonly messages: MessageListService) {}

  @LimitsConcurrency('searches', 5, isSearch)
  @Get()
  @ApiTags('Gateway')
  @ApiAction(
    'listMessages',
    'List the messages of the account',
    'Across all its devices, newest first. To poll for new messages: ask with order=asc and from, follow nextCursor until hasMore is false, and go on from the last nextCursor. A message uploaded more than 24 hours after its reception carries the time of its reception: such a poll may have passed it.',
  )
  @ApiDataPage(MessageResponse, MessageListMetaResponse, 'A page of messages, and where it stands')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiError(new SearchTooSlow(2_000))
  @ApiErrors(DeviceNotFound, BatchNotOnAccount)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: MessageListRequest,
  ): Promise<Page<MessageResponse, MessageListMetaResponse> | StreamableFile> {
    const page = await this.messages.open(account, readMessageQuery(request));
    return answerPage(page, page.meta);
  }
}

function isSearch(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'search' in query && Boolean(query.search);
}
