import type { Allowance, PlanLimit } from './billing.errors';
import { type Plan, UNLIMITED } from './plan.schema';
import type { UsagePeriod } from './usage-period';
import type { Usage } from './usage.schema';

/** What is left of a plan in a period. */
export function allowanceOf(plan: Plan, usage: Usage | null, period: UsagePeriod): Allowance {
  const usedToday = usage?.day === period.day ? usage.dayCount : 0;
  const usedThisMonth = usage?.month === period.month ? usage.monthCount : 0;
  const remaining = (limit: number, used: number) =>
    limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used);
  return {
    dailyLimit: plan.dailyLimit,
    dailyRemaining: remaining(plan.dailyLimit, usedToday),
    monthlyLimit: plan.monthlyLimit,
    monthlyRemaining: remaining(plan.monthlyLimit, usedThisMonth),
    bulkSendLimit: plan.bulkSendLimit,
  };
}

/** The limit that stands against `count` more messages, the one that lasts longest first. */
export function limitAgainst(count: number, allowance: Allowance): PlanLimit | undefined {
  const exceeds = (most: number) => most !== UNLIMITED && count > most;
  if (exceeds(allowance.bulkSendLimit)) return 'batch';
  if (exceeds(allowance.monthlyRemaining)) return 'monthly';
  return exceeds(allowance.dailyRemaining) ? 'daily' : undefined;
}
