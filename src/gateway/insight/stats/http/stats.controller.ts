import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import {
  ApiEndpoint,
  ApiData,
  ApiDataList,
  ApiErrors,
  ApiFieldError,
} from '../../../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../../../devices/store/devices.errors';
import { SeriesRequest } from './series.request';
import { SeriesPointResponse } from './series.response';
import { SeriesService } from '../series.service';
import { MonthResponse, StatsResponse } from './stats.response';
import { StatsService } from '../stats.service';

@Controller('gateway/stats')
export class StatsController {
  constructor(
    private readonly stats: StatsService,
    private readonly series: SeriesService,
  ) {}

  @Get()
  @ApiTags('Messages')
  @ApiEndpoint('getStats', 'Get the totals of the account', 'Also suitable for testing an API key.')
  @ApiData(StatsResponse, 'The totals of the account')
  async totals(@CurrentAccount() account: AccountScope): Promise<StatsResponse> {
    const { sent, received, devices, apiKeys } = await this.stats.totals(account);
    return {
      totalSentSMSCount: sent,
      totalReceivedSMSCount: received,
      totalDeviceCount: devices,
      totalApiKeyCount: apiKeys,
    };
  }

  @Get('month')
  @ApiTags('Messages')
  @ApiEndpoint(
    'getMonth',
    'Get the counts of the current month',
    'Counts what happened in the current UTC month, and what is used and left of the plan. Removed and deleted messages still count.',
  )
  @ApiData(MonthResponse, 'The current month')
  async month(@CurrentAccount() account: AccountScope) {
    return this.stats.month(account);
  }

  @Get('series')
  @ApiTags('Messages')
  @ApiEndpoint(
    'getSeries',
    'Get message counts for charts',
    'Counts what happened in each hour or day, by the time the service recorded it. Buckets without messages are included. Removed and deleted messages still count.',
  )
  @ApiDataList(SeriesPointResponse, 'One point for each bucket, oldest first')
  @ApiFieldError('from', 'must be a date or a time in ISO 8601 with a zone, such as 2026-01-31T09:00:00Z')
  @ApiErrors(DeviceNotFound)
  async readSeries(@CurrentAccount() account: AccountScope, @Query() request: SeriesRequest) {
    return this.series.read(account, request.read());
  }
}
