import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { type ChargedRequest, findPlanLimitError } from './plan-limits';
import { calculateQuotas } from './plan-subscription';
import { type DayCharge, monthOf } from './usage/day-charge';
import { PlanCatalogue } from './plans/plan-catalogue';
import { isUnlimited, type Plan, UNLIMITED } from './plans/plan.schema';
import { periodOf } from './usage/usage-period';
import { UsageRepository } from './usage/usage.repository';
import type { Usage } from './usage/usage.schema';

const MAX_WRITE_ATTEMPTS = 5;

export interface Charge extends ChargedRequest {
  readonly batch: Types.ObjectId;
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
    const { batch, charges, at } = charge;
    const plan = await this.plans.findOrDefault(planName);
    const reservation = { user: account.user, batch, charges, plan, period: periodOf(at) };
    // The write checks the daily and the monthly limit, but not that of one send.
    const fits = !findPlanLimitError(charge, plan, null);
    return this.writeWithinLimits(account, plan, charge, () =>
      fits ? this.usages.reserve(reservation) : Promise.resolve(false),
    );
  }

  /**
   * Checks whether a send fits into the plan, without reserving anything.
   * @throws PlanLimitReached
   */
  async assertWithinLimits(
    account: AccountScope,
    planName: string | undefined,
    charge: ChargedRequest,
  ): Promise<void> {
    const [plan, usage] = await Promise.all([this.plans.findOrDefault(planName), this.usages.find(account)]);
    assertWithinLimits(charge, plan, usage);
  }

  /** Ends the reservation of an accepted send: its allowance is used. */
  confirm(account: AccountScope, batch: Types.ObjectId): void {
    this.usages.confirm(account, batch);
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
    return this.writeWithinLimits(
      account,
      plan,
      { charges: [move.to], at: move.at },
      () => this.usages.move(account, id, move, plan, periodOf(move.at)),
      ({ returned }) => returned.some((each) => each.equals(id)),
    );
  }

  /** Checks whether a move fits into the plan, without changing anything. @throws PlanLimitReached */
  async assertCanMove(account: AccountScope, planName: string | undefined, move: Move): Promise<void> {
    const [plan, usage] = await Promise.all([this.plans.findOrDefault(planName), this.usages.find(account)]);
    assertWithinLimits({ charges: [move.to], at: move.at }, limitsOfMove(plan, move), usage);
  }

  /** Whether the account has used up its plan. */
  async isOverLimit(account: AccountScope, planName: string | undefined, now: Date): Promise<boolean> {
    const plan = await this.plans.findOrDefault(planName);
    if (isUnlimited(plan)) return false;
    const { today, thisMonth } = calculateQuotas(plan, await this.usages.find(account), periodOf(now));
    return today.remaining === 0 || thisMonth.remaining === 0;
  }

  /** Counts a received message, regardless of limits. */
  countReceived(account: AccountScope, now: Date): Promise<void> {
    return this.usages.increment(account, periodOf(now));
  }

  /**
   * Repeats a conditional write that fails although its charges fit: the usage has changed meanwhile.
   * @param isWritten whether an earlier call has written it.
   * @throws PlanLimitReached
   */
  private async writeWithinLimits(
    account: AccountScope,
    plan: Plan,
    charge: ChargedRequest,
    write: () => Promise<boolean>,
    isWritten: (usage: Usage) => boolean = () => false,
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_WRITE_ATTEMPTS; attempt++) {
      if (await write()) return;
      const usage = await this.usages.find(account);
      if (usage && isWritten(usage)) return;
      assertWithinLimits(charge, plan, usage);
      if (!usage) await this.usages.create(account, periodOf(charge.at));
    }
    throw new Error(`Could not change usage in ${MAX_WRITE_ATTEMPTS} attempts: it keeps changing`);
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

/** @throws PlanLimitReached */
function assertWithinLimits(request: ChargedRequest, plan: Plan, usage: Usage | null): void {
  const error = findPlanLimitError(request, plan, usage);
  if (error) throw error;
}
