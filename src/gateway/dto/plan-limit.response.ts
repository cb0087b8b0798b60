import { ApiProperty } from '@nestjs/swagger';
import type { PlanLimit } from '../../billing/billing.errors';

/** The body of a 429 to a send that the plan does not allow. Limits and remainders of -1 mean any number. */
export class PlanLimitResponse {
  @ApiProperty({
    type: String,
    description: 'Which limit is reached, in words',
    example: 'The plan allows 50 messages a day; 20 are left today, and this send needs 25',
  })
  error!: string;

  @ApiProperty({
    type: String,
    description: 'The same text as error',
    example: 'The plan allows 50 messages a day; 20 are left today, and this send needs 25',
  })
  message!: string;

  @ApiProperty({ type: String, enum: ['PLAN_LIMIT_REACHED'], description: 'Always this code' })
  code!: string;

  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  hasReachedLimit!: true;

  @ApiProperty({
    type: String,
    enum: ['daily', 'monthly', 'batch'],
    description: 'The limit that is reached',
  })
  limit!: PlanLimit;

  @ApiProperty({ type: Number, description: 'Messages a day; -1 for any number', example: 50 })
  dailyLimit!: number;

  @ApiProperty({ type: Number, description: 'Messages left today; -1 for any number', example: 20 })
  dailyRemaining!: number;

  @ApiProperty({ type: Number, description: 'Messages a month; -1 for any number', example: 300 })
  monthlyLimit!: number;

  @ApiProperty({ type: Number, description: 'Messages left this month; -1 for any number', example: 270 })
  monthlyRemaining!: number;

  @ApiProperty({ type: Number, description: 'Recipients a send; -1 for any number', example: 50 })
  bulkSendLimit!: number;
}
