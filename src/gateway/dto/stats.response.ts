import { ApiProperty } from '@nestjs/swagger';
import type { AccountTotals } from '../stats.service';

export class StatsResponse {
  @ApiProperty({ description: 'Messages sent across all devices', example: 1200 })
  totalSentSMSCount!: number;

  @ApiProperty({ description: 'Messages received across all devices', example: 87 })
  totalReceivedSMSCount!: number;

  @ApiProperty({ description: 'Devices on the account', example: 2 })
  totalDeviceCount!: number;

  @ApiProperty({ description: 'API keys on the account that are not revoked', example: 1 })
  totalApiKeyCount!: number;
}

export function toStatsResponse(totals: AccountTotals): StatsResponse {
  return {
    totalSentSMSCount: totals.sent,
    totalReceivedSMSCount: totals.received,
    totalDeviceCount: totals.devices,
    totalApiKeyCount: totals.apiKeys,
  };
}
