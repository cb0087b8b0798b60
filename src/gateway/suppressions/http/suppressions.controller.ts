import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
  ApiSuccess,
} from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { toListMeta } from '../../../common/http/responses/fields';
import { ConsentListMetaResponse } from '../../../consent/records/http/consent-record.response';
import { INVALID_CURSOR, parseMessageQuery } from '../../../messages/lists/message-query';
import { BatchChanging } from '../../../messages/messages.errors';
import { SuppressionNotFound } from '../suppression.errors';
import { SuppressionChecks } from '../suppression-check.service';
import { Suppressions } from '../suppressions.service';
import {
  LiftSuppressionRequest,
  SuppressionCheckRequest,
  SuppressionListRequest,
  SuppressionRequest,
} from './suppression.request';
import {
  SuppressionCheckResponse,
  SuppressionResponse,
  toSuppressionCheckResponse,
  toSuppressionResponse,
} from './suppression.response';

@ApiTags('Consent')
@Controller('gateway/suppressions')
export class SuppressionsController {
  constructor(
    private readonly suppressions: Suppressions,
    private readonly checks: SuppressionChecks,
  ) {}

  @Get()
  @ApiEndpoint('listSuppressions', 'List blocked numbers', 'The latest first. Lifted blocks are not listed.')
  @ApiDataPage(SuppressionResponse, ConsentListMetaResponse, 'A page of blocks')
  @ApiFieldError('cursor', INVALID_CURSOR)
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() { cursor, limit: count, number, state }: SuppressionListRequest,
  ): Promise<Page<SuppressionResponse, ConsentListMetaResponse>> {
    const { limit, start } = parseMessageQuery({ cursor, limit: count });
    const after = 'after' in start ? start.after : undefined;
    const { suppressions, nextCursor } = await this.suppressions.list(account, {
      number,
      state,
      limit,
      after,
    });
    return new Page(suppressions.map(toSuppressionResponse), toListMeta(limit, nextCursor));
  }

  @Post()
  @HttpCode(201)
  @ApiEndpoint(
    'blockNumber',
    'Block a number',
    'As if the person had written STOP: messages that wait for it and are stopped fail with the code SUPPRESSED, and no longer count towards the plan. A block that exists is kept; held does not weaken out.',
  )
  @ApiJsonBody(SuppressionRequest)
  @ApiData(SuppressionResponse, 'The block', { status: 201 })
  @ApiFieldError('number', 'must be a string')
  @ApiErrors(BatchChanging)
  async block(
    @CurrentAccount() account: AuthenticatedAccount,
    @Body() { number, topic, state = 'out', reason }: SuppressionRequest,
  ): Promise<SuppressionResponse> {
    const block = { number, topic, state, reason };
    return toSuppressionResponse(await this.suppressions.block(account, block, sourceOf(account)));
  }

  @Post('check')
  @HttpCode(200)
  @ApiEndpoint(
    'checkSuppressions',
    'Check which numbers are blocked',
    'Which of these numbers a send would not reach. Of a send to several recipients, messages to blocked ones fail; one to blocked recipients only is refused.',
  )
  @ApiJsonBody(SuppressionCheckRequest)
  @ApiData(SuppressionCheckResponse, 'Those that are blocked')
  @ApiFieldError('numbers', 'must be an array')
  async check(
    @CurrentAccount() account: AccountScope,
    @Body() { numbers, purpose, topic }: SuppressionCheckRequest,
  ): Promise<SuppressionCheckResponse> {
    return toSuppressionCheckResponse(await this.checks.check(account, numbers, { purpose, topic }));
  }

  @Delete(':id')
  @ApiEndpoint(
    'liftSuppression',
    'Lift a block',
    'Only with the consent of the person: the reason is recorded. Messages that failed are not sent.',
  )
  @ApiJsonBody(LiftSuppressionRequest)
  @ApiSuccess('The block is lifted')
  @ApiFieldError('reason', 'should not be empty')
  @ApiErrors(SuppressionNotFound)
  async lift(
    @CurrentAccount() account: AuthenticatedAccount,
    @PathId('Id of the block') id: Types.ObjectId,
    @Body() { reason }: LiftSuppressionRequest,
  ): Promise<void> {
    await this.suppressions.lift(account, id, reason, sourceOf(account));
  }
}

const sourceOf = ({ credential }: AuthenticatedAccount) => (credential.kind === 'session' ? 'web' : 'api');
