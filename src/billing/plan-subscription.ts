import { usedIn, usedOn } from './usage/day-charge';
import { type Plan, UNLIMITED } from './plans/plan.schema';
import { periodOf, startOfMonth, startOfNextMonth, type UsagePeriod } from './usage/usage-period';
import type { Usage } from './usage/usage.schema';

/** An account's plan and its usage. */
export interface PlanSubscription extends Quotas {
  readonly plan: Plan;
  /** Start of the UTC month. */
  readonly periodStart: Date;
  readonly periodEnd: Date;
}

interface Quotas {
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

/** From this share of a limit on, its owner is warned. */
const NEARLY_USED_PERCENT = 80;

export const isNearlyUsed = ({ limit, percentage }: Quota): boolean =>
  limit !== UNLIMITED && percentage >= NEARLY_USED_PERCENT;

export function calculateQuota(used: number, limit: number): Quota {
  if (limit === UNLIMITED) return { used, limit, remaining: UNLIMITED, percentage: 0 };
  // Received messages count even over the limit, and a limit of 0 is always used up.
  const percentage = used >= limit ? 100 : Math.floor((used / limit) * 100);
  return { used, limit, remaining: Math.max(0, limit - used), percentage };
}

export function calculateQuotas(plan: Plan, usage: Usage | null, { day, month }: UsagePeriod): Quotas {
  return {
    today: calculateQuota(usedOn(usage, day), plan.dailyLimit),
    thisMonth: calculateQuota(usedIn(usage, month), plan.monthlyLimit),
  };
}

export function toPlanSubscription(plan: Plan, usage: Usage | null, now: Date): PlanSubscription {
  const quotas = calculateQuotas(plan, usage, periodOf(now));
  return { plan, periodStart: startOfMonth(now), periodEnd: startOfNextMonth(now), ...quotas };
}
