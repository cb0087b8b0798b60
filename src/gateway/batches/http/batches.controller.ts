import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import {
  ApiData,
  ApiDataPage,
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { BatchNotOnAccount, SearchTooSlow } from '../../../messages/lists/message-list.errors';
import { BatchChanging } from '../../../messages/messages.errors';
import { CancellationService } from '../../cancellation/cancellation.service';
import { CancelResponse } from '../../cancellation/http/cancel.response';
import { ApiPlanLimit } from '../../sends/http/send.openapi';
import { BatchChanges } from '../batch-changes.service';
import { BatchListRequest } from './batch-list.request';
import { BatchViews } from '../batch-views.service';
import {
  BatchListMetaResponse,
  BatchSummaryResponse,
  ListedBatchResponse,
  toBatchSummaryResponse,
  toListedBatchResponse,
} from './batch.response';
import { BatchHasSeveralTimes, BatchStarted } from '../batches.errors';
import { RescheduleRequest } from './reschedule.request';

@ApiTags('Batches')
@Controller('gateway/batches')
export class BatchesController {
  constructor(
    private readonly views: BatchViews,
    private readonly changes: BatchChanges,
    private readonly cancellation: CancellationService,
  ) {}

  @LimitsConcurrency('lists', 50)
  @Get()
  @ApiEndpoint(
    'listBatches',
    'List the batches of the account',
    'Lists batches across all devices, newest first, also scheduled ones. Progress is part of a single batch only.',
  )
  @ApiDataPage(ListedBatchResponse, BatchListMetaResponse, 'A page of batches with its pagination')
  @ApiFieldError('limit', 'must be a whole number')
  @ApiError(new SearchTooSlow(2_000))
  async list(
    @CurrentAccount() account: AccountScope,
    @Query() request: BatchListRequest,
  ): Promise<Page<ListedBatchResponse, BatchListMetaResponse>> {
    const { batches, ...meta } = await this.views.list(account, request.read());
    return new Page(batches.map(toListedBatchResponse), meta);
  }

  @LimitsConcurrency('lists', 50)
  @Get(':id')
  @ApiEndpoint(
    'getAccountBatch',
    'Read the progress of a batch',
    'Returns the batch without its messages: list those with smsBatchId.',
  )
  @ApiData(BatchSummaryResponse, 'The batch')
  @ApiErrors(BatchNotOnAccount)
  async get(@CurrentAccount() account: AccountScope, @PathId('Batch id') id: Types.ObjectId) {
    return toBatchSummaryResponse(await this.views.get(account, id));
  }

  @Patch(':id')
  @ApiEndpoint(
    'rescheduleBatch',
    'Reschedule a batch',
    'Sends a batch of which nothing has left at another time. Its messages count towards the plan on the day and in the month of the new time.',
  )
  @ApiJsonBody(RescheduleRequest)
  @ApiData(BatchSummaryResponse, 'The batch')
  @ApiErrors(BatchNotOnAccount, BatchStarted, BatchHasSeveralTimes, BatchChanging)
  @ApiPlanLimit()
  async reschedule(
    @CurrentAccount() account: AccountScope,
    @PathId('Batch id') id: Types.ObjectId,
    @Body() { scheduledAt }: RescheduleRequest,
  ) {
    await this.changes.reschedule(account, id, scheduledAt);
    return toBatchSummaryResponse(await this.views.get(account, id));
  }

  @Post(':id/pause')
  @ApiEndpoint(
    'pauseBatch',
    'Pause a batch',
    'Messages that no worker has taken wait until the batch is resumed; those that were taken go out. Idempotent.',
  )
  @ApiData(BatchSummaryResponse, 'The batch')
  @ApiErrors(BatchNotOnAccount, BatchChanging)
  @HttpCode(200)
  async pause(@CurrentAccount() account: AccountScope, @PathId('Batch id') id: Types.ObjectId) {
    await this.changes.pause(account, id);
    return toBatchSummaryResponse(await this.views.get(account, id));
  }

  @Post(':id/resume')
  @ApiEndpoint(
    'resumeBatch',
    'Resume a paused batch',
    'The messages that wait go out at the pace of their phones, after large sends that were accepted meanwhile; scheduled ones at their time. Idempotent.',
  )
  @ApiData(BatchSummaryResponse, 'The batch')
  @ApiErrors(BatchNotOnAccount, BatchChanging)
  @HttpCode(200)
  async resume(@CurrentAccount() account: AccountScope, @PathId('Batch id') id: Types.ObjectId) {
    await this.changes.resume(account, id);
    return toBatchSummaryResponse(await this.views.get(account, id));
  }

  @Post(':id/cancel')
  @ApiEndpoint(
    'cancelAccountBatch',
    'Cancel the messages of a batch on all its devices',
    'Same as for a batch of a device. Idempotent.',
  )
  @ApiData(CancelResponse, 'The number of cancelled messages')
  @ApiErrors(BatchNotOnAccount, BatchChanging)
  @HttpCode(200)
  async cancel(@CurrentAccount() account: AccountScope, @PathId('Batch id') id: Types.ObjectId) {
    const batch = await this.changes.waitForChange(account, id);
    return { success: true, ...(await this.cancellation.cancelOnAllPhones(account, batch._id)) };
  }
}
