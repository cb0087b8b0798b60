import { ApiProperty } from '@nestjs/swagger';
import { Time } from '../../common/http/fields';
import type { Plan } from '../plan.schema';
import type { Subscription } from '../subscription';

const Count = (description: string) => ApiProperty({ type: 'integer', description, example: 12 });

export class PlanNameResponse {
  @ApiProperty({ type: String, description: 'Name of the plan', example: 'free' })
  name!: string;

  @ApiProperty({ type: String, description: 'Name for people', example: 'Free' })
  displayName!: string;
}

export class PlanResponse extends PlanNameResponse {
  @Count('Messages a day, sent and received; -1 for any number')
  dailyLimit!: number;

  @Count('Messages a month, sent and received; -1 for any number')
  monthlyLimit!: number;

  @Count('Recipients of one send; -1 for any number')
  bulkSendLimit!: number;
}

/** Days and months are those of the UTC calendar. */
export class UsageResponse {
  @Count('Messages today')
  processedSmsToday!: number;

  @Count('Messages in the current month, in spite of the name')
  processedSmsLastMonth!: number;

  @Count('Messages the plan allows a day; -1 for any number')
  dailyLimit!: number;

  @Count('Messages the plan allows a month; -1 for any number')
  monthlyLimit!: number;

  @Count('Messages left today; -1 for any number')
  dailyRemaining!: number;

  @Count('Messages left in the current month; -1 for any number')
  monthlyRemaining!: number;

  @Count('0 to 100; 0 without a limit')
  dailyUsagePercentage!: number;

  @Count('0 to 100; 0 without a limit')
  monthlyUsagePercentage!: number;
}

/** Read by phones without an envelope. */
export class SubscriptionResponse {
  @ApiProperty({ type: PlanNameResponse, description: 'The plan' })
  plan!: PlanNameResponse;

  @ApiProperty({ type: Boolean, description: 'Always true: a plan does not end', example: true })
  isActive!: boolean;

  @Time('When the current month began')
  currentPeriodStart!: Date;

  @Time('When the next month begins')
  currentPeriodEnd!: Date;

  @ApiProperty({ type: UsageResponse, description: 'What is used of it' })
  usage!: UsageResponse;
}

export function toPlanResponse(plan: Plan): PlanResponse {
  return {
    name: plan._id,
    displayName: plan.displayName,
    dailyLimit: plan.dailyLimit,
    monthlyLimit: plan.monthlyLimit,
    bulkSendLimit: plan.bulkSendLimit,
  };
}

export function toSubscriptionResponse(subscription: Subscription): SubscriptionResponse {
  const { plan, periodStart, periodEnd, today, thisMonth } = subscription;
  return {
    plan: { name: plan._id, displayName: plan.displayName },
    isActive: true,
    currentPeriodStart: periodStart,
    currentPeriodEnd: periodEnd,
    usage: {
      processedSmsToday: today.used,
      processedSmsLastMonth: thisMonth.used,
      dailyLimit: today.limit,
      monthlyLimit: thisMonth.limit,
      dailyRemaining: today.remaining,
      monthlyRemaining: thisMonth.remaining,
      dailyUsagePercentage: today.percentage,
      monthlyUsagePercentage: thisMonth.percentage,
    },
  };
}
