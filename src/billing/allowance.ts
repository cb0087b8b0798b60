import type { Allowance, PlanLimit } from './billing.errors';
import { type DayCharge, monthOf, sumOf, usedIn, usedOn } from './usage/day-charge';
import { type Plan, UNLIMITED } from './plans/plan.schema';
import type { UsagePeriod } from './usage/usage-period';
import type { Usage } from './usage/usage.schema';

export function calculateAllowance(plan: Plan, usage: Usage | null, period: UsagePeriod): Allowance {
  const usedToday = usedOn(usage, period.day);
  const usedThisMonth = usedIn(usage, period.month);
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

export interface LimitViolation {
  readonly limit: PlanLimit;
  /** Remaining allowance on that day and in its month. */
  readonly allowance: Allowance;
  /** Messages the send would count towards the limit. */
  readonly requested: number;
  readonly day: string;
}

/** The first exceeded limit of the earliest day: batch, then monthly, then daily. */
export function findLimitViolation(
  charges: readonly DayCharge[],
  plan: Plan,
  usage: Usage | null,
): LimitViolation | undefined {
  const total = sumOf(charges);
  for (const { day, count } of charges) {
    const month = monthOf(day);
    const allowance = calculateAllowance(plan, usage, { day, month });
    const monthTotal = sumOf(charges.filter((charge) => monthOf(charge.day) === month));
    const requested: Record<PlanLimit, number> = { batch: total, monthly: monthTotal, daily: count };
    const available: Record<PlanLimit, number> = {
      batch: allowance.bulkSendLimit,
      monthly: allowance.monthlyRemaining,
      daily: allowance.dailyRemaining,
    };
    for (const limit of ['batch', 'monthly', 'daily'] as const) {
      if (available[limit] !== UNLIMITED && requested[limit] > available[limit])
        return { limit, allowance, requested: requested[limit], day };
    }
  }
  return undefined;
}
