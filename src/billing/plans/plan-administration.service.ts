import { Injectable } from '@nestjs/common';
import { OperatorError } from '../../common/errors';
import { type Plan, SEEDED_PLANS } from './plan.schema';
import { PlansRepository } from './plans.repository';

export type PlanChanges = Partial<Omit<Plan, '_id'>>;

const REQUIRED_FLAGS = {
  dailyLimit: '--daily',
  monthlyLimit: '--monthly',
  bulkSendLimit: '--batch',
} as const;

@Injectable()
export class PlanAdministration {
  constructor(private readonly plans: PlansRepository) {}

  async list(): Promise<Plan[]> {
    // The service may not have started yet.
    await this.plans.seed(SEEDED_PLANS);
    return this.plans.list();
  }

  /** @throws OperatorError if there is no such plan. */
  async get(name: string): Promise<Plan> {
    const plans = await this.list();
    const plan = plans.find(({ _id }) => _id === name);
    if (plan) return plan;
    throw new OperatorError(`There is no plan ${name}; use one of ${plans.map(({ _id }) => _id).join(', ')}`);
  }

  /**
   * Updates a plan, or creates it if all limits are given.
   * @throws OperatorError if a limit of a new plan is missing.
   */
  async set(name: string, changes: PlanChanges): Promise<Plan> {
    const { displayName, dailyLimit, monthlyLimit, bulkSendLimit } = changes;
    const updated = await this.plans.update(name, changes);
    if (updated) return updated;
    if (dailyLimit === undefined || monthlyLimit === undefined || bulkSendLimit === undefined) {
      const missing = Object.entries(REQUIRED_FLAGS)
        .filter(([field]) => changes[field as keyof typeof REQUIRED_FLAGS] === undefined)
        .map(([, flag]) => flag);
      throw new OperatorError(`There is no plan ${name} yet; to create it, also pass ${missing.join(', ')}`);
    }
    const plan = { _id: name, displayName: displayName ?? name, dailyLimit, monthlyLimit, bulkSendLimit };
    await this.plans.seed([plan]);
    return plan;
  }
}
