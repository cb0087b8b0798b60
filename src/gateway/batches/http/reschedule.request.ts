import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';

const MAX_TIME_LENGTH = 512;

export class RescheduleRequest {
  @ApiProperty({
    description: 'When to send: ISO 8601 with a zone, in the future, at most 30 days ahead',
    example: '2026-01-31T09:00:00+01:00',
    maxLength: MAX_TIME_LENGTH,
  })
  @IsString()
  @MaxLength(MAX_TIME_LENGTH)
  scheduledAt!: string;
}
