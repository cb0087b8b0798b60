import type { Allowance, PlanLimit } from './billing.errors';
import { type DayCharge, monthOf, sumOf, usedIn, usedOn } from './day-charge';
import { type Plan, UNLIMITED } from './plan.schema';
import type { UsagePeriod } from './usage-period';
import type { Usage } from './usage.schema';

/** What is left of a plan in a period. */
export function allowanceOf(plan: Plan, usage: Usage | null, period: UsagePeriod): Allowance {
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

/** Why a send does not fit into its plan. */
export interface Obstacle {
  readonly limit: PlanLimit;
  /** What the limit allows on that day and in its month. */
  readonly allowance: Allowance;
  /** What the send needs of it. */
  readonly asked: number;
  readonly day: string;
}

/** What stands against these charges: of the first day that does not fit the limit that lasts longest. */
export function obstacleTo(
  charges: readonly DayCharge[],
  plan: Plan,
  usage: Usage | null,
): Obstacle | undefined {
  const total = sumOf(charges);
  for (const { day, count } of charges) {
    const month = monthOf(day);
    const allowance = allowanceOf(plan, usage, { day, month });
    const ofMonth = sumOf(charges.filter((charge) => monthOf(charge.day) === month));
    const asked: Record<PlanLimit, number> = { batch: total, monthly: ofMonth, daily: count };
    const most: Record<PlanLimit, number> = {
      batch: allowance.bulkSendLimit,
      monthly: allowance.monthlyRemaining,
      daily: allowance.dailyRemaining,
    };
    for (const limit of ['batch', 'monthly', 'daily'] as const) {
      if (most[limit] !== UNLIMITED && asked[limit] > most[limit])
        return { limit, allowance, asked: asked[limit], day };
    }
  }
  return undefined;
}
