import { type Allowance, type PlanLimit, remainingOf } from './billing.errors';
import { calculateQuotas } from './plan-subscription';
import { type DayCharge, monthOf, sumOf } from './usage/day-charge';
import { type Plan, UNLIMITED } from './plans/plan.schema';
import type { Usage } from './usage/usage.schema';

/** The limit that a send exceeds. */
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
    const { today, thisMonth } = calculateQuotas(plan, usage, { day, month });
    const { dailyLimit, monthlyLimit, bulkSendLimit } = plan;
    const allowance = {
      dailyLimit,
      dailyRemaining: today.remaining,
      monthlyLimit,
      monthlyRemaining: thisMonth.remaining,
      bulkSendLimit,
    };
    const monthTotal = sumOf(charges.filter((charge) => monthOf(charge.day) === month));
    const requested: Record<PlanLimit, number> = { batch: total, monthly: monthTotal, daily: count };
    for (const limit of ['batch', 'monthly', 'daily'] as const) {
      const remaining = remainingOf(limit, allowance);
      if (remaining !== UNLIMITED && requested[limit] > remaining)
        return { limit, allowance, requested: requested[limit], day };
    }
  }
  return undefined;
}
