import { Injectable } from '@nestjs/common';
import { OperatorError } from '../common/errors';
import { type Plan, SEEDED_PLANS } from './plan.schema';
import { PlansRepository } from './plans.repository';

class NoSuchPlan extends OperatorError {
  constructor(plan: string, known: readonly string[]) {
    super(`There is no plan ${plan}, only ${known.join(', ')}`);
  }
}

class PlanIncomplete extends OperatorError {
  constructor(plan: string, missing: readonly string[]) {
    super(`There is no plan ${plan} yet; to make it, give ${missing.join(', ')} too`);
  }
}

export type PlanChanges = Partial<Omit<Plan, '_id'>>;

/** How the admin command names what a new plan needs. */
const REQUIRED = { dailyLimit: '--daily', monthlyLimit: '--monthly', bulkSendLimit: '--batch' } as const;

/** What the operator does with plans. */
@Injectable()
export class PlanAdministration {
  constructor(private readonly plans: PlansRepository) {}

  async list(): Promise<Plan[]> {
    // The operator may come before the first process of the service does.
    await this.plans.seed(SEEDED_PLANS);
    return this.plans.list();
  }

  /** @throws NoSuchPlan */
  async get(name: string): Promise<Plan> {
    const plans = await this.list();
    const plan = plans.find(({ _id }) => _id === name);
    if (plan) return plan;
    throw new NoSuchPlan(
      name,
      plans.map(({ _id }) => _id),
    );
  }

  /**
   * Changes a plan, or makes it if every limit is given.
   * @returns the plan as it is now.
   * @throws PlanIncomplete
   */
  async set(name: string, given: PlanChanges): Promise<Plan> {
    const { displayName, dailyLimit, monthlyLimit, bulkSendLimit } = given;
    const changed = await this.plans.change(name, given);
    if (changed) return changed;
    if (dailyLimit === undefined || monthlyLimit === undefined || bulkSendLimit === undefined) {
      const missing = Object.entries(REQUIRED).filter(
        ([field]) => given[field as keyof typeof REQUIRED] === undefined,
      );
      throw new PlanIncomplete(
        name,
        missing.map(([, flag]) => flag),
      );
    }
    const plan = { _id: name, displayName: displayName ?? name, dailyLimit, monthlyLimit, bulkSendLimit };
    await this.plans.seed([plan]);
    return plan;
  }
}
