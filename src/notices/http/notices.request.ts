import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { MAX_OFFLINE_AFTER_MINUTES, type NoticeSettings } from '../notice-topic';

const Switch = (description: string): PropertyDecorator =>
  applyDecorators(ApiProperty({ type: Boolean, description }), IsBoolean());

export class NoticeSettingsRequest implements NoticeSettings {
  @Switch('Whether the owner is mailed at all')
  mail!: boolean;

  @Switch('A phone cannot be reached for offlineAfterMinutes')
  phoneOffline!: boolean;

  @Switch('A phone that its owner was told of is back, for ten minutes')
  phoneBack!: boolean;

  @Switch('The messages of a SIM fail')
  simUnhealthy!: boolean;

  @Switch('A webhook was paused because its endpoint failed')
  webhookPaused!: boolean;

  @Switch('80 % of a limit of the plan are used')
  planNearlyUsed!: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_OFFLINE_AFTER_MINUTES,
    description: 'How long a phone is offline before its owner is told, in minutes',
    example: 10,
  })
  @IsInt()
  @Min(1)
  @Max(MAX_OFFLINE_AFTER_MINUTES)
  offlineAfterMinutes!: number;
}
