import { ApiProperty } from '@nestjs/swagger';
import { Count, Time } from '../../../../common/http/responses/fields';

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

export class MonthResponse {
  @Time('Start of the current month, in UTC')
  from!: Date;

  @Time('When the month ends and its usage resets')
  resetsAt!: Date;

  @Count('Messages first reported as sent or delivered', 12)
  sent!: number;

  @Count('Messages reported as delivered', 12)
  delivered!: number;

  @Count('Messages that failed, without those cancelled or suppressed', 12)
  failed!: number;

  @Count('Messages cancelled', 12)
  cancelled!: number;

  @Count('Messages that were not sent, because their recipients are blocked', 12)
  suppressed!: number;

  @Count('Messages received by phones and uploaded', 12)
  received!: number;

  @Count(
    'Messages that count towards the plan: accepted for this month, less those cancelled or suppressed, and received ones',
    12,
  )
  used!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Messages that the plan has left; null if it is unlimited',
    example: 288,
  })
  left!: number | null;
}
