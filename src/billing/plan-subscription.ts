import { usedIn, usedOn } from './usage/day-charge';
import { type Plan, UNLIMITED } from './plans/plan.schema';
import { periodOf, startOfMonth, startOfNextMonth } from './usage/usage-period';
import type { Usage } from './usage/usage.schema';

export interface PlanSubscription {
  readonly plan: Plan;
  /** Start of the UTC month. */
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly today: Quota;
  readonly thisMonth: Quota;
}

/** Usage of a limit; -1 is unlimited. */
export interface Quota {
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** 0 to 100; 0 if unlimited. */
  readonly percentage: number;
}

export function calculateQuota(used: number, limit: number): Quota {
  if (limit === UNLIMITED) return { used, limit, remaining: UNLIMITED, percentage: 0 };
  // Received messages count even over the limit, and a limit of 0 is always used up.
  const percentage = used >= limit ? 100 : Math.floor((used / limit) * 100);
  return { used, limit, remaining: Math.max(0, limit - used), percentage };
}

export function toPlanSubscription(plan: Plan, usage: Usage | null, now: Date): PlanSubscription {
  const period = periodOf(now);
  return {
    plan,
    periodStart: startOfMonth(now),
    periodEnd: startOfNextMonth(now),
    today: calculateQuota(usedOn(usage, period.day), plan.dailyLimit),
    thisMonth: calculateQuota(usedIn(usage, period.month), plan.monthlyLimit),
  };
}
