import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { allowanceOf, limitAgainst } from './allowance';
import { PlanLimit, PlanLimitReached } from './billing.errors';
import { PlanCatalogue } from './plan-catalogue';
import { Plan, UNLIMITED } from './plan.schema';
import { periodOf, secondsToNextDay, secondsToNextMonth } from './usage-period';
import { UsageRepository } from './usage.repository';

/** How often a reservation is tried that was refused although there seems to be room. */
const TRIES = 5;

/** A send as far as its plan is concerned. */
export interface Charge {
  readonly batch: Types.ObjectId;
  readonly count: number;
  /** When it was requested: the day and month it is charged to. */
  readonly at: Date;
}

/** Messages of a batch that were cancelled. */
export interface Refund {
  readonly cancellation: Types.ObjectId;
  readonly count: number;
  /** When the batch was requested: the day and month it was charged to. */
  readonly at: Date;
}

/** Plans and what is used of them. */
@Injectable()
export class BillingService {
  constructor(
    private readonly plans: PlanCatalogue,
    private readonly usages: UsageRepository,
  ) {}

  /**
   * Reserves the allowance of a send. A refused one leaves no trace.
   * @param planName the account's own plan, if it has one.
   * @throws PlanLimitReached
   */
  async reserve(account: AccountScope, planName: string | undefined, charge: Charge): Promise<void> {
    const { batch, count } = charge;
    const plan = await this.plans.planOf(planName);
    const period = periodOf(charge.at);
    for (let attempt = 1; ; attempt++) {
      const fits = limitAgainst(charge.count, allowanceOf(plan, null, period)) === undefined;
      if (fits && (await this.usages.reserve({ user: account.user, batch, count, plan, period }))) return;
      const usage = await this.usages.find(account);
      const allowance = allowanceOf(plan, usage, period);
      const limit = limitAgainst(charge.count, allowance);
      if (limit) throw new PlanLimitReached(limit, allowance, charge.count, retryAfter(limit, charge.at));
      if (!usage) await this.usages.begin(account, period);
      // There was no room a moment ago and there is now: something was given back in between.
      if (attempt === TRIES) throw new Error('The usage of the account keeps changing');
    }
  }

  /** Takes a reservation back that came to nothing; safe to repeat. */
  async release(account: AccountScope, { batch, count, at }: Charge): Promise<void> {
    await this.usages.release(account, batch, count, periodOf(at));
  }

  /** Gives back what a cancellation has cancelled of a batch; once for each cancellation, safe to repeat. */
  async giveBack(account: AccountScope, { cancellation, count, at }: Refund): Promise<void> {
    await this.usages.giveBack(account, cancellation, count, periodOf(at));
  }

  /** Whether the account has used up its plan: what it receives from here on is over the limit. */
  async isOverLimit(account: AccountScope, planName: string | undefined, now: Date): Promise<boolean> {
    const plan = await this.plans.planOf(planName);
    if (isUnlimited(plan)) return false;
    const { dailyRemaining, monthlyRemaining } = allowanceOf(
      plan,
      await this.usages.find(account),
      periodOf(now),
    );
    return dailyRemaining === 0 || monthlyRemaining === 0;
  }

  /** Counts a received message, which is never refused. */
  async countReceived(account: AccountScope, now: Date): Promise<void> {
    const period = periodOf(now);
    if (await this.usages.count(account, 1, period)) return;
    await this.usages.begin(account, period);
    await this.usages.count(account, 1, period);
  }
}

function isUnlimited(plan: Plan): boolean {
  return plan.dailyLimit === UNLIMITED && plan.monthlyLimit === UNLIMITED;
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
