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
  (requested: number, allowance: Allowance, laterDay: string | undefined) => string
> = {
  daily: (requested, { dailyLimit, dailyRemaining }, laterDay) =>
    `The plan allows ${dailyLimit} messages a day; ${dailyRemaining} are left ${laterDay ? `on ${laterDay}` : 'today'}, and this send needs ${requested}`,
  monthly: (requested, { monthlyLimit, monthlyRemaining }, laterDay) =>
    `The plan allows ${monthlyLimit} messages a month; ${monthlyRemaining} are left ${laterDay ? `in ${laterDay.slice(0, 7)}` : 'this month'}, and this send needs ${requested}`,
  batch: (requested, { bulkSendLimit }) =>
    `The plan allows ${bulkSendLimit} recipients a send, and this one has ${requested}`,
};

/** The fields of an allowance for each limit, and for what is left of it. */
const FIELDS = {
  daily: ['dailyLimit', 'dailyRemaining'],
  monthly: ['monthlyLimit', 'monthlyRemaining'],
  batch: ['bulkSendLimit', 'bulkSendLimit'],
} as const satisfies Record<PlanLimit, readonly (keyof Allowance)[]>;

export const remainingOf = (limit: PlanLimit, allowance: Allowance): number => allowance[FIELDS[limit][1]];

/** A send that exceeds a plan limit. */
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
    super(EXPLANATIONS[limit](requested, allowance, laterDay));
  }

  override extras(): Record<string, unknown> {
    return { hasReachedLimit: true, limit: this.limit, ...this.allowance };
  }

  override headers(): Record<string, string> {
    return {
      'RateLimit-Limit': String(this.allowance[FIELDS[this.limit][0]]),
      'RateLimit-Remaining': String(remainingOf(this.limit, this.allowance)),
      ...(this.retryAfterSeconds !== undefined && {
        'RateLimit-Reset': String(this.retryAfterSeconds),
        'Retry-After': String(this.retryAfterSeconds),
      }),
    };
  }
}
