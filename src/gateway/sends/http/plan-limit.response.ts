import { ApiProperty } from '@nestjs/swagger';
import type { PlanLimit } from '../../../billing/billing.errors';

/** The body of a 429 when a send exceeds the plan. -1 means unlimited. */
export class PlanLimitResponse {
  @ApiProperty({
    description: 'Which limit is reached, as text',
    example: 'The plan allows 50 messages a day; 20 are left today, and this send needs 25',
  })
  error!: string;

  @ApiProperty({
    description: 'The same text as error',
    example: 'The plan allows 50 messages a day; 20 are left today, and this send needs 25',
  })
  message!: string;

  @ApiProperty({ enum: ['PLAN_LIMIT_REACHED'], description: 'Always this code' })
  code!: string;

  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  hasReachedLimit!: true;

  @ApiProperty({
    type: String,
    enum: ['daily', 'monthly', 'batch'],
    description: 'The limit that is reached',
  })
  limit!: PlanLimit;

  @ApiProperty({ description: 'Messages per day; -1 for unlimited', example: 50 })
  dailyLimit!: number;

  @ApiProperty({ description: 'Messages left today; -1 for unlimited', example: 20 })
  dailyRemaining!: number;

  @ApiProperty({ description: 'Messages per month; -1 for unlimited', example: 300 })
  monthlyLimit!: number;

  @ApiProperty({ description: 'Messages left this month; -1 for unlimited', example: 270 })
  monthlyRemaining!: number;

  @ApiProperty({ description: 'Recipients per send; -1 for unlimited', example: 50 })
  bulkSendLimit!: number;
}
