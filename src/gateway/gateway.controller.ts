import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { SendBulkSmsRequest, SendSmsRequest } from './dto/send.request';
import { IdempotencyKey } from '../common/http/idempotency-key';
import { ParseIdPipe } from '../common/http/id.pipe';
import { CancellationService } from './cancellation.service';
import { CancelResponse } from './dto/cancel.response';
import { answerSend, SendResponse } from './dto/send.response';
import { StatsResponse, toStatsResponse } from './dto/stats.response';
import { SendService } from './send.service';
import { StatsService } from './stats.service';

@Controller('gateway')
export class GatewayController {
  constructor(
    private readonly sends: SendService,
    private readonly cancellation: CancellationService,
    private readonly stats: StatsService,
  ) {}

  @Get('stats')
  async totals(@CurrentAccount() account: AccountScope): Promise<StatsResponse> {
    return toStatsResponse(await this.stats.totals(account));
  }

  @Post('send-sms')
  @HttpCode(200)
  async sendSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SendResponse> {
    return answerSend(await this.sends.send(account, body.toOrder(), key), response);
  }

  @Post('send-bulk-sms')
  @HttpCode(200)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendBulkSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SendResponse> {
    return answerSend(await this.sends.send(account, body.toOrder(), key), response);
  }

  @Post('devices/:id/sms-batch/:smsBatchId/cancel')
  @HttpCode(200)
  async cancel(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) device: Types.ObjectId,
    @Param('smsBatchId', ParseIdPipe) batch: Types.ObjectId,
  ): Promise<CancelResponse> {
    return { success: true, cancelledCount: await this.cancellation.cancel(account, device, batch) };
  }
}
