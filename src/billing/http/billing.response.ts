import { ApiProperty } from '@nestjs/swagger';
import { Count, Time } from '../../common/http/responses/fields';
import type { Plan } from '../plans/plan.schema';
import type { PlanSubscription } from '../plan-subscription';

export class PlanNameResponse {
  @ApiProperty({ description: 'Name of the plan', example: 'free' })
  name!: string;

  @ApiProperty({ description: 'Display name', example: 'Free' })
  displayName!: string;
}

export class PlanResponse extends PlanNameResponse {
  @Count('Messages per day, sent and received; -1 if unlimited')
  dailyLimit!: number;

  @Count('Messages per month, sent and received; -1 if unlimited')
  monthlyLimit!: number;

  @Count('Recipients per send; -1 if unlimited')
  bulkSendLimit!: number;
}

/** Days and months are in UTC. */
export class UsageResponse {
  @Count('Messages today')
  processedSmsToday!: number;

  @Count('Messages in the current month, despite the name')
  processedSmsLastMonth!: number;

  @Count('Messages per day; -1 if unlimited')
  dailyLimit!: number;

  @Count('Messages per month; -1 if unlimited')
  monthlyLimit!: number;

  @Count('Recipients per send; -1 if unlimited')
  bulkSendLimit!: number;

  @Count('Messages left today; -1 if unlimited')
  dailyRemaining!: number;

  @Count('Messages left in the current month; -1 if unlimited')
  monthlyRemaining!: number;

  @Count('0 to 100; 0 without a limit')
  dailyUsagePercentage!: number;

  @Count('0 to 100; 0 without a limit')
  monthlyUsagePercentage!: number;
}

export class SubscriptionResponse {
  @ApiProperty({ description: 'The plan' })
  plan!: PlanResponse;

  @ApiProperty({ description: 'Always true, because plans do not expire', example: true })
  isActive!: boolean;

  @Time('Start of the current month')
  currentPeriodStart!: Date;

  @Time('Start of the next month')
  currentPeriodEnd!: Date;

  @ApiProperty({ description: 'Usage of the plan' })
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

export function toSubscriptionResponse(subscription: PlanSubscription): SubscriptionResponse {
  const { plan, periodStart, periodEnd, today, thisMonth } = subscription;
  return {
    plan: toPlanResponse(plan),
    isActive: true,
    currentPeriodStart: periodStart,
    currentPeriodEnd: periodEnd,
    usage: {
      processedSmsToday: today.used,
      processedSmsLastMonth: thisMonth.used,
      dailyLimit: today.limit,
      monthlyLimit: thisMonth.limit,
      bulkSendLimit: plan.bulkSendLimit,
      dailyRemaining: today.remaining,
      monthlyRemaining: thisMonth.remaining,
      dailyUsagePercentage: today.percentage,
      monthlyUsagePercentage: thisMonth.percentage,
    },
  };
}
