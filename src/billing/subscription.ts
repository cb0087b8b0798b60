import { usedIn, usedOn } from './day-charge';
import { type Plan, UNLIMITED } from './plan.schema';
import { periodOf, startOfMonth, startOfNextMonth } from './usage-period';
import type { Usage } from './usage.schema';

/** An account's plan and where it stands with it, at one moment. */
export interface Subscription {
  readonly plan: Plan;
  /** The UTC month. */
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly today: Quota;
  readonly thisMonth: Quota;
}

/** What was used of a limit; integers, -1 for unlimited. */
export interface Quota {
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** 0 to 100; 0 where there is no limit. */
  readonly percentage: number;
}

export function quotaOf(used: number, limit: number): Quota {
  if (limit === UNLIMITED) return { used, limit, remaining: UNLIMITED, percentage: 0 };
  // What is received counts also over the limit. A limit of 0 is used up from the start.
  const percentage = used >= limit ? 100 : Math.floor((used / limit) * 100);
  return { used, limit, remaining: Math.max(0, limit - used), percentage };
}

export function subscriptionOf(plan: Plan, usage: Usage | null, now: Date): Subscription {
  const period = periodOf(now);
  return {
    plan,
    periodStart: startOfMonth(now),
    periodEnd: startOfNextMonth(now),
    today: quotaOf(usedOn(usage, period.day), plan.dailyLimit),
    thisMonth: quotaOf(usedIn(usage, period.month), plan.monthlyLimit),
  };
}
