import { type PlanLimit, PlanLimitReached, remainingOf } from './billing.errors';
import { calculateQuotas } from './plan-subscription';
import { type DayCharge, monthOf, sumOf } from './usage/day-charge';
import { type Plan, UNLIMITED } from './plans/plan.schema';
import { periodOf, startOfNextDay, startOfNextMonth } from './usage/usage-period';
import type { Usage } from './usage/usage.schema';

export interface ChargedRequest {
  /** Messages per UTC day, in order. */
  readonly charges: readonly DayCharge[];
  /** Time of the request. */
  readonly at: Date;
}

/** The error of the first exceeded limit of the earliest day: batch, then monthly, then daily. */
export function findPlanLimitError(
  { charges, at }: ChargedRequest,
  plan: Plan,
  usage: Usage | null,
): PlanLimitReached | undefined {
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
        return new PlanLimitReached(limit, allowance, requested[limit], ...resetOf(limit, day, at));
    }
  }
  return undefined;
}

/** The seconds until the limit of a day resets, unless waiting does not raise it; and the day, if it is a later one. */
function resetOf(limit: PlanLimit, day: string, at: Date): [seconds: number | undefined, laterDay?: string] {
  const today = periodOf(at);
  if (limit === 'batch') return [undefined];
  if (limit === 'monthly' ? monthOf(day) !== today.month : day !== today.day) return [undefined, day];
  const resetsAt = limit === 'daily' ? startOfNextDay(at) : startOfNextMonth(at);
  return [Math.ceil((resetsAt.getTime() - at.getTime()) / 1_000)];
}
