import { AppError } from '../common/errors';

export type PlanLimit = 'daily' | 'monthly' | 'batch';

/** What is left of a plan; -1 for any number. */
export interface Allowance {
  readonly dailyLimit: number;
  readonly dailyRemaining: number;
  readonly monthlyLimit: number;
  readonly monthlyRemaining: number;
  readonly bulkSendLimit: number;
}

const EXPLANATIONS: Record<
  PlanLimit,
  (asked: number, left: number, most: number, laterDay: string | undefined) => string
> = {
  daily: (asked, left, most, laterDay) =>
    `The plan allows ${most} messages a day; ${left} are left ${laterDay ? `on ${laterDay}` : 'today'}, and this send needs ${asked}`,
  monthly: (asked, left, most, laterDay) =>
    `The plan allows ${most} messages a month; ${left} are left ${laterDay ? `in ${laterDay.slice(0, 7)}` : 'this month'}, and this send needs ${asked}`,
  batch: (asked, _left, most) => `The plan allows ${most} recipients a send, and this one has ${asked}`,
};

/** A send that the plan does not allow (spec, Errors 5). */
export class PlanLimitReached extends AppError {
  readonly kind = 'limited';
  readonly code = 'PLAN_LIMIT_REACHED';

  /**
   * @param retryAfterSeconds when the limit starts again; absent where waiting does not help.
   * @param laterDay the UTC day whose limit it is, where that is not today's.
   */
  constructor(
    private readonly limit: PlanLimit,
    private readonly allowance: Allowance,
    asked: number,
    private readonly retryAfterSeconds: number | undefined,
    laterDay?: string,
  ) {
    const [most, left] = PlanLimitReached.numbers(limit, allowance);
    super(EXPLANATIONS[limit](asked, left, most, laterDay));
  }

  override extras(): Record<string, unknown> {
    return { hasReachedLimit: true, limit: this.limit, ...this.allowance };
  }

  override headers(): Record<string, string> {
    const [most, left] = PlanLimitReached.numbers(this.limit, this.allowance);
    return {
      'RateLimit-Limit': String(most),
      'RateLimit-Remaining': String(left),
      ...(this.retryAfterSeconds !== undefined && {
        'RateLimit-Reset': String(this.retryAfterSeconds),
        'Retry-After': String(this.retryAfterSeconds),
      }),
    };
  }

  private static numbers(limit: PlanLimit, allowance: Allowance): [most: number, left: number] {
    switch (limit) {
      case 'daily':
        return [allowance.dailyLimit, allowance.dailyRemaining];
      case 'monthly':
        return [allowance.monthlyLimit, allowance.monthlyRemaining];
      case 'batch':
        return [allowance.bulkSendLimit, allowance.bulkSendLimit];
    }
  }
}
