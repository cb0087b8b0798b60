import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { allowanceOf, type Obstacle, obstacleTo } from './allowance';
import { PlanLimit, PlanLimitReached } from './billing.errors';
import { type DayCharge, monthOf } from './day-charge';
import { PlanCatalogue } from './plan-catalogue';
import { Plan, UNLIMITED } from './plan.schema';
import { periodOf, secondsToNextDay, secondsToNextMonth } from './usage-period';
import { UsageRepository } from './usage.repository';

/** How often a reservation is tried that was refused although there seems to be room. */
const TRIES = 5;

/** A send as far as its plan is concerned. */
export interface Charge {
  readonly batch: Types.ObjectId;
  /** What it takes of which UTC day, in their order. */
  readonly charges: readonly DayCharge[];
  /** When it was requested. */
  readonly at: Date;
}

/** Messages of a batch that were cancelled. */
export interface Refund {
  readonly cancellation: Types.ObjectId;
  /** The days they were charged to. */
  readonly charges: readonly DayCharge[];
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
    const { batch, charges } = charge;
    const plan = await this.plans.planOf(planName);
    const period = periodOf(charge.at);
    for (let attempt = 1; ; attempt++) {
      const fits = obstacleTo(charges, plan, null) === undefined;
      if (fits && (await this.usages.reserve({ user: account.user, batch, charges, plan, period }))) return;
      const usage = await this.usages.find(account);
      const obstacle = obstacleTo(charges, plan, usage);
      if (obstacle) throw refusalFor(obstacle, charge.at);
      if (!usage) await this.usages.begin(account, period);
      // There was no room a moment ago and there is now: something was given back in between.
      if (attempt === TRIES) throw new Error('The usage of the account keeps changing');
    }
  }

  /** Takes a reservation back that came to nothing; safe to repeat. */
  async release(account: AccountScope, { batch, charges }: Omit<Charge, 'at'>): Promise<void> {
    await this.usages.release(account, batch, charges);
  }

  /** Gives back what a cancellation has cancelled of a batch; once for each cancellation, safe to repeat. */
  async giveBack(account: AccountScope, { cancellation, charges }: Refund): Promise<void> {
    await this.usages.giveBack(account, cancellation, charges);
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

function refusalFor({ limit, allowance, asked, day }: Obstacle, now: Date): PlanLimitReached {
  const today = periodOf(now);
  const isLater = limit === 'monthly' ? monthOf(day) !== today.month : limit === 'daily' && day !== today.day;
  // Waiting does not make room on a day to come.
  const retryAfterSeconds = isLater ? undefined : retryAfter(limit, now);
  return new PlanLimitReached(limit, allowance, asked, retryAfterSeconds, isLater ? day : undefined);
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
