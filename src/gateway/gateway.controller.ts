import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { SendBulkSmsRequest, SendSmsRequest } from './dto/send.request';
import { IdempotencyKey } from '../common/http/requests/idempotency-key';
import { ParseIdPipe } from '../common/http/requests/id.pipe';
import type { PlatformResponse } from '../common/http/raw-http';
import {
  ApiEndpoint,
  ApiData,
  ApiDataList,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
} from '../common/http/openapi-decorators';
import { DeviceNotFound } from '../devices/devices.errors';
import { BatchNotFound, MessageNotFound } from '../messages/messages.errors';
import { CancellationService } from './cancellation/cancellation.service';
import { CancelResponse, toCancelResponse } from './dto/cancel.response';
import { ApiSend } from './dto/send.openapi';
import { respondToSend, SendResponse } from './dto/send.response';
import { SeriesRequest } from './dto/series.request';
import { SeriesPointResponse, toSeriesPointResponse } from './dto/series.response';
import { MonthResponse, StatsResponse, toStatsResponse } from './dto/stats.response';
import { SendService } from './sends/send.service';
import { SeriesService } from './series.service';
import { StatsService } from './stats.service';

@Controller('gateway')
export class GatewayController {
  constructor(
    private readonly sends: SendService,
    private readonly cancellation: CancellationService,
    private readonly stats: StatsService,
    private readonly series: SeriesService,
  ) {}

  @Get('stats')
  @ApiTags('Gateway')
  @ApiEndpoint('getStats', 'Get the totals of the account', 'Also suitable for testing an API key.')
  @ApiData(StatsResponse, 'The totals of the account')
  async totals(@CurrentAccount() account: AccountScope): Promise<StatsResponse> {
    return toStatsResponse(await this.stats.totals(account));
  }

  @Get('stats/month')
  @ApiTags('Devices')
  @ApiEndpoint(
    'getMonth',
    'Get the counts of the current month',
    'Counts what happened in the current UTC month, and what is used and left of the plan. Removed and deleted messages still count.',
  )
  @ApiData(MonthResponse, 'The current month')
  async month(@CurrentAccount() account: AccountScope): Promise<MonthResponse> {
    return this.stats.month(account);
  }

  @Get('stats/series')
  @ApiTags('Devices')
  @ApiEndpoint(
    'getSeries',
    'Get message counts for charts',
    'Counts what happened in each hour or UTC day, by the time the service recorded it. Buckets without messages are included. Removed and deleted messages still count.',
  )
  @ApiDataList(SeriesPointResponse, 'One point for each bucket, oldest first')
  @ApiFieldError('from', 'must be a date or a time in ISO 8601 with a zone, such as 2026-01-31T09:00:00Z')
  @ApiErrors(DeviceNotFound)
  async readSeries(
    @CurrentAccount() account: AccountScope,
    @Query() request: SeriesRequest,
  ): Promise<SeriesPointResponse[]> {
    return (await this.series.read(account, request.read())).map(toSeriesPointResponse);
  }

  @Post('send-sms')
  @ApiTags('Gateway')
  @ApiEndpoint(
    'sendSms',
    'Send a message',
    'Sends one text to one or more recipients; each recipient counts as one message of the plan. The response means that the send is queued: follow it with the batch id.',
  )
  @ApiSend(SendSmsRequest)
  @HttpCode(200)
  async sendSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    return respondToSend(await this.sends.send(account, body.toSendInput(), key), response);
  }

  @Post('send-bulk-sms')
  @ApiTags('Gateway')
  @ApiEndpoint(
    'sendBulkSms',
    'Send several messages',
    'Each entry has its own text, recipients, SIM and time; all entries are one batch.',
  )
  @ApiSend(SendBulkSmsRequest)
  @HttpCode(200)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendBulkSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    return respondToSend(await this.sends.send(account, body.toSendInput(), key), response);
  }

  @Post('messages/:id/cancel')
  @ApiTags('Devices')
  @ApiEndpoint(
    'cancelMessage',
    'Cancel a message that is not sent yet',
    'Same as for a batch, for one of its messages. Idempotent.',
  )
  @ApiIdParam('id', 'Message id')
  @ApiData(CancelResponse, 'Whether the message is cancelled')
  @ApiErrors(MessageNotFound)
  @HttpCode(200)
  async cancelMessage(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) message: Types.ObjectId,
  ): Promise<CancelResponse> {
    return toCancelResponse(await this.cancellation.cancelMessage(account, message));
  }

  @Post('devices/:id/sms-batch/:smsBatchId/cancel')
  @ApiTags('Devices')
  @ApiEndpoint(
    'cancelBatch',
    'Cancel the messages of a batch that are not sent yet',
    'Messages that were not pushed yet fail with the code CANCELLED and no longer count towards the plan. A phone that registered with supportsCancel is asked not to send those it has not acknowledged; they are cancelled once it confirms. Idempotent.',
  )
  @ApiIdParam('id', 'Device id')
  @ApiIdParam('smsBatchId', 'Batch id, from the response to the send')
  @ApiData(CancelResponse, 'The number of cancelled messages')
  @ApiErrors(DeviceNotFound, BatchNotFound)
  @HttpCode(200)
  async cancel(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsBatchId', ParseIdPipe) batch: Types.ObjectId,
  ): Promise<CancelResponse> {
    return toCancelResponse(await this.cancellation.cancelBatch(account, device, batch));
  }
}
