import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { SendBulkSmsRequest, SendSmsRequest } from './dto/send.request';
import { SendResponse, toSendResponse } from './dto/send.response';
import { StatsResponse, toStatsResponse } from './dto/stats.response';
import { SendService } from './send.service';
import { StatsService } from './stats.service';

@Controller('gateway')
export class GatewayController {
  constructor(
    private readonly sends: SendService,
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
  ): Promise<SendResponse> {
    return toSendResponse(await this.sends.send(account, body.toOrder()));
  }

  @Post('send-bulk-sms')
  @HttpCode(200)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendBulkSmsRequest,
  ): Promise<SendResponse> {
    return toSendResponse(await this.sends.send(account, body.toOrder()));
  }
}
