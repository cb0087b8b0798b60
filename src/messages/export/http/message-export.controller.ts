import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AuthenticatedAccount, CurrentAccount } from '../../../auth/account-scope';
import { AuthService } from '../../../auth/authentication/auth.service';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import { Clock } from '../../../common/clock';
import {
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiFile,
} from '../../../common/http/openapi-decorators';
import type { PlatformResponse } from '../../../common/http/connections/raw-http';
import { streamFile } from '../../../common/http/responses/file-stream';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { MessageExportRequest } from '../../lists/http/message-list.request';
import { BatchNotOnAccount, SearchTooSlow } from '../../lists/message-list.errors';
import { MessageListService } from '../../lists/message-list.service';
import { parseMessageQuery } from '../../lists/message-query';
import { messageCsv } from '../message-csv';

@Controller('gateway/messages')
export class MessageExportController {
  constructor(
    private readonly messages: MessageListService,
    private readonly auth: AuthService,
    private readonly clock: Clock,
  ) {}

  @LimitsConcurrency('exports', 2)
  @Get('export')
  @ApiTags('Messages')
  @ApiEndpoint(
    'exportMessages',
    'Export messages as CSV',
    'Writes all messages that the filters of the list select, any number of them, while it reads them. UTF-8 with a byte order mark, commas, CRLF. A text that a spreadsheet would take for a formula begins with an apostrophe; phone numbers keep their +. If the export fails midway, the connection breaks: a response that ends is complete.',
  )
  @ApiFile('text/csv', 'The messages, one per line, after a line with the names of the columns')
  @ApiFieldError('from', 'must be a date')
  @ApiError(new SearchTooSlow(2_000))
  @ApiErrors(DeviceNotFound, BatchNotOnAccount)
  export(
    @CurrentAccount() account: AuthenticatedAccount,
    @Query() request: MessageExportRequest,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<StreamableFile> {
    const messages = this.messages.readAll(account, parseMessageQuery(request));
    const day = this.clock.now().toISOString().slice(0, 10);
    const file = { name: `messages-${day}.csv`, type: 'text/csv; charset=utf-8' };
    return streamFile(messageCsv(this.auth.whileValid(account, messages)), file, response);
  }
}
