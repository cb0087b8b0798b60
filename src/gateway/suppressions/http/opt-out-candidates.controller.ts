import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { INVALID_CURSOR } from '../../../messages/lists/message-query';
import { BatchChanging } from '../../../messages/messages.errors';
import { OptOutCandidates } from '../opt-out-candidates.service';
import {
  decodeNumberCursor,
  encodeNumberCursor,
  OptOutCandidateListRequest,
  SuppressCandidatesRequest,
} from './opt-out-candidates.request';
import {
  OptOutCandidateResponse,
  OptOutCandidatesMetaResponse,
  SuppressedCandidatesResponse,
  toOptOutCandidateResponse,
} from './opt-out-candidates.response';

@ApiTags('Consent')
@Controller('gateway/suppressions/candidates')
export class OptOutCandidatesController {
  constructor(private readonly candidates: OptOutCandidates) {}

  @Get()
  @ApiEndpoint(
    'listOptOutCandidates',
    'List people who wrote STOP before texts were read',
    'People whose last word in a stored text was an out-word alone, and who are not blocked. Each call looks at a part of the texts; a part may be empty, and the list ends with a nextCursor that is null.',
  )
  @ApiDataPage(OptOutCandidateResponse, OptOutCandidatesMetaResponse, 'A part of them')
  @ApiFieldError('cursor', INVALID_CURSOR)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { cursor }: OptOutCandidateListRequest,
  ): Promise<Page<OptOutCandidateResponse, OptOutCandidatesMetaResponse>> {
    const { result, next } = await this.candidates.list(account, decodeNumberCursor(cursor));
    return new Page(result.map(toOptOutCandidateResponse), { nextCursor: encodeNumberCursor(next) });
  }

  @Post()
  @HttpCode(200)
  @ApiEndpoint(
    'suppressOptOutCandidates',
    'Block people who wrote STOP before texts were read',
    'Blocks those of a part of listOptOutCandidates, with the time and the words of their texts. Repeat it with nextCursor until that is null; a repeated call blocks nobody twice.',
  )
  @ApiJsonBody(SuppressCandidatesRequest)
  @ApiData(SuppressedCandidatesResponse, 'How many are blocked')
  @ApiFieldError('cursor', INVALID_CURSOR)
  @ApiErrors(BatchChanging)
  async suppress(
    @CurrentAccount() account: AccountScope,
    @Body() { cursor }: SuppressCandidatesRequest,
  ): Promise<SuppressedCandidatesResponse> {
    const { result, next } = await this.candidates.suppress(account, decodeNumberCursor(cursor));
    return { suppressedCount: result, nextCursor: encodeNumberCursor(next) };
  }
}
