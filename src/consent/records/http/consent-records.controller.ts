import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiDataPage, ApiEndpoint, ApiFieldError } from '../../../common/http/openapi-decorators';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { toListMeta } from '../../../common/http/responses/fields';
import { INVALID_CURSOR, parseMessageQuery } from '../../../messages/lists/message-query';
import { ConsentRecords } from '../consent-records.service';
import { ConsentRecordListRequest } from './consent-record.request';
import {
  ConsentListMetaResponse,
  ConsentRecordResponse,
  toConsentRecordResponse,
} from './consent-record.response';

@ApiTags('Consent')
@Controller('gateway/consents')
export class ConsentRecordsController {
  constructor(private readonly records: ConsentRecords) {}

  @Get()
  @ApiEndpoint(
    'listConsents',
    'List decisions about numbers',
    'Who asked for no more messages, or for messages again, in which words, and what the owner decided. The latest first.',
  )
  @ApiDataPage(ConsentRecordResponse, ConsentListMetaResponse, 'A page of decisions')
  @ApiFieldError('cursor', INVALID_CURSOR)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { cursor, limit: count, number }: ConsentRecordListRequest,
  ): Promise<Page<ConsentRecordResponse, ConsentListMetaResponse>> {
    const { limit, start } = parseMessageQuery({ cursor, limit: count });
    const after = 'after' in start ? start.after : undefined;
    const { records, nextCursor } = await this.records.list(account, { number, limit, after });
    return new Page(records.map(toConsentRecordResponse), toListMeta(limit, nextCursor));
  }
}
