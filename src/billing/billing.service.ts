import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { calculateAllowance, type LimitViolation, findLimitViolation } from './allowance';
import { PlanLimit, PlanLimitReached } from './billing.errors';
import { type DayCharge, monthOf } from './usage/day-charge';
import { PlanCatalogue } from './plans/plan-catalogue';
import { isUnlimited, type Plan, UNLIMITED } from './plans/plan.schema';
import { periodOf, secondsToNextDay, secondsToNextMonth } from './usage/usage-period';
import { UsageRepository } from './usage/usage.repository';

const MAX_RESERVE_ATTEMPTS = 5;

export interface Charge {
  readonly batch: Types.ObjectId;
  /** Messages per UTC day, in order. */
  readonly charges: readonly DayCharge[];
  /** Time of the request. */
  readonly at: Date;
}

export interface Refund {
  readonly cancellation: Types.ObjectId;
  /** The cancelled messages per UTC day. */
  readonly charges: readonly DayCharge[];
}

/** A change of the UTC day that messages are charged to. */
export interface Move {
  readonly from: readonly DayCharge[];
  readonly to: DayCharge;
  /** Time of the request. */
  readonly at: Date;
}

@Injectable()
export class BillingService {
  constructor(
    private readonly plans: PlanCatalogue,
    private readonly usages: UsageRepository,
  ) {}

  /**
   * Reserves the allowance of a send; a rejected send changes nothing.
   * @param planName the plan of the account; defaults to the default plan.
   * @throws PlanLimitReached
   */
  async reserve(account: AccountScope, planName: string | undefined, charge: Charge): Promise<void> {
    const { batch, charges } = charge;
    const plan = await this.plans.findOrDefault(planName);
    const period = periodOf(charge.at);
    for (let attempt = 1; ; attempt++) {
      const fits = findLimitViolation(charges, plan, null) === undefined;
      if (fits && (await this.usages.reserve({ user: account.user, batch, charges, plan, period }))) return;
      const usage = await this.usages.find(account);
      const violation = findLimitViolation(charges, plan, usage);
      if (violation) throw toPlanLimitReached(violation, charge.at);
      if (!usage) await this.usages.create(account, period);
      // The reservation failed but the send fits now, so the usage changed in the meantime: retry.
      if (attempt === MAX_RESERVE_ATTEMPTS)
        throw new Error(`Could not reserve usage in ${MAX_RESERVE_ATTEMPTS} attempts: it keeps changing`);
    }
  }

  /**
   * Checks whether a send fits into the plan, without reserving anything.
   * @throws PlanLimitReached
   */
  async assertWithinLimits(
    account: AccountScope,
    planName: string | undefined,
    { charges, at }: Omit<Charge, 'batch'>,
  ): Promise<void> {
    const [plan, usage] = await Promise.all([this.plans.findOrDefault(planName), this.usages.find(account)]);
    const violation = findLimitViolation(charges, plan, usage);
    if (violation) throw toPlanLimitReached(violation, at);
  }

  /** Releases the reservation of a failed send; idempotent. */
  async release(account: AccountScope, { batch, charges }: Omit<Charge, 'at'>): Promise<void> {
    await this.usages.release(account, batch, charges);
  }

  /** Refunds cancelled messages; idempotent per cancellation. */
  async refund(account: AccountScope, { cancellation, charges }: Refund): Promise<void> {
    await this.usages.refund(account, cancellation, charges);
  }

  /**
   * Charges messages to another day instead; idempotent per id. A rejected move changes nothing.
   * @throws PlanLimitReached
   */
  async move(
    account: AccountScope,
    planName: string | undefined,
    id: Types.ObjectId,
    move: Move,
  ): Promise<void> {
    const plan = limitsOfMove(await this.plans.findOrDefault(planName), move);
    const period = periodOf(move.at);
    for (let attempt = 1; ; attempt++) {
      if (await this.usages.move(account, id, move, plan, period)) return;
      const usage = await this.usages.find(account);
      if (usage?.returned.some((each) => each.equals(id))) return;
      const violation = findLimitViolation([move.to], plan, usage);
      if (violation) throw toPlanLimitReached(violation, move.at);
      if (!usage) await this.usages.create(account, period);
      if (attempt === MAX_RESERVE_ATTEMPTS)
        throw new Error(`Could not move usage in ${MAX_RESERVE_ATTEMPTS} attempts: it keeps changing`);
    }
  }

  /** Checks whether a move fits into the plan, without changing anything. @throws PlanLimitReached */
  async assertCanMove(account: AccountScope, planName: string | undefined, move: Move): Promise<void> {
    const [plan, usage] = await Promise.all([this.plans.findOrDefault(planName), this.usages.find(account)]);
    const violation = findLimitViolation([move.to], limitsOfMove(plan, move), usage);
    if (violation) throw toPlanLimitReached(violation, move.at);
  }

  /** Whether the account has used up its plan. */
  async isOverLimit(account: AccountScope, planName: string | undefined, now: Date): Promise<boolean> {
    const plan = await this.plans.findOrDefault(planName);
    if (isUnlimited(plan)) return false;
    const { dailyRemaining, monthlyRemaining } = calculateAllowance(
      plan,
      await this.usages.find(account),
      periodOf(now),
    );
    return dailyRemaining === 0 || monthlyRemaining === 0;
  }

  /** Counts a received message, regardless of limits. */
  countReceived(account: AccountScope, now: Date): Promise<void> {
    return this.usages.increment(account, 1, periodOf(now));
  }
}

/** The limits that a move can exceed: it adds nothing to a month that it stays in, and nothing to the batch. */
function limitsOfMove(plan: Plan, { from, to }: Move): Plan {
  const staysInMonth = from.every(({ day }) => monthOf(day) === monthOf(to.day));
  return Object.assign({}, plan, {
    bulkSendLimit: UNLIMITED,
    ...(staysInMonth && { monthlyLimit: UNLIMITED }),
  });
}

function toPlanLimitReached(
  { limit, allowance, requested, day }: LimitViolation,
  now: Date,
): PlanLimitReached {
  const today = periodOf(now);
  const isLater = limit === 'monthly' ? monthOf(day) !== today.month : limit === 'daily' && day !== today.day;
  // Waiting does not raise the limit of a later day.
  const retryAfterSeconds = isLater ? undefined : retryAfter(limit, now);
  return new PlanLimitReached(limit, allowance, requested, retryAfterSeconds, isLater ? day : undefined);
}

function retryAfter(limit: PlanLimit, now: Date): number | undefined {
  switch (limit) {
    case 'daily':
      return secondsToNextDay(now);
    case 'monthly':
      return secondsToNextMonth(now);
    case 'batch':
      return undefined;
  }
}
