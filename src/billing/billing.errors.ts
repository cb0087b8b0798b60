import { AppError } from '../common/errors';

export type PlanLimit = 'daily' | 'monthly' | 'batch';

/** The limits and remaining messages of a plan; -1 is unlimited. */
export interface Allowance {
  readonly dailyLimit: number;
  readonly dailyRemaining: number;
  readonly monthlyLimit: number;
  readonly monthlyRemaining: number;
  readonly bulkSendLimit: number;
}

const EXPLANATIONS: Record<
  PlanLimit,
  (requested: number, left: number, limit: number, laterDay: string | undefined) => string
> = {
  daily: (requested, left, limit, laterDay) =>
    `The plan allows ${limit} messages a day; ${left} are left ${laterDay ? `on ${laterDay}` : 'today'}, and this send needs ${requested}`,
  monthly: (requested, left, limit, laterDay) =>
    `The plan allows ${limit} messages a month; ${left} are left ${laterDay ? `in ${laterDay.slice(0, 7)}` : 'this month'}, and this send needs ${requested}`,
  batch: (requested, _left, limit) =>
    `The plan allows ${limit} recipients a send, and this one has ${requested}`,
};

export class PlanLimitReached extends AppError {
  readonly kind = 'limited';
  readonly code = 'PLAN_LIMIT_REACHED';

  /**
   * @param retryAfterSeconds time until the limit resets; absent if waiting does not help.
   * @param laterDay the UTC day of the limit, if it is not today.
   */
  constructor(
    private readonly limit: PlanLimit,
    private readonly allowance: Allowance,
    requested: number,
    private readonly retryAfterSeconds: number | undefined,
    laterDay?: string,
  ) {
    const [max, left] = PlanLimitReached.numbers(limit, allowance);
    super(EXPLANATIONS[limit](requested, left, max, laterDay));
  }

  override extras(): Record<string, unknown> {
    return { hasReachedLimit: true, limit: this.limit, ...this.allowance };
  }

  override headers(): Record<string, string> {
    const [max, left] = PlanLimitReached.numbers(this.limit, this.allowance);
    return {
      'RateLimit-Limit': String(max),
      'RateLimit-Remaining': String(left),
      ...(this.retryAfterSeconds !== undefined && {
        'RateLimit-Reset': String(this.retryAfterSeconds),
        'Retry-After': String(this.retryAfterSeconds),
      }),
    };
  }

  private static numbers(limit: PlanLimit, allowance: Allowance): [max: number, left: number] {
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
