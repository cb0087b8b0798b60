import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { OperatorError } from '../../common/errors';
import { BillingConfig } from '../../config/sections/billing.config';
import { Plan, SEEDED_PLANS } from './plan.schema';
import { PlansRepository } from './plans.repository';

/** Plan changes take effect within this time. */
const CACHE_TTL_MS = 10_000;

/** Caches the plans, so that a send does not read them from the database. */
@Injectable()
export class PlanCatalogue implements OnApplicationBootstrap {
  private plans = new Map<string, Plan>();
  private readUntil = 0;

  constructor(
    private readonly config: BillingConfig,
    private readonly repository: PlansRepository,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.repository.seed(SEEDED_PLANS);
    await this.findOrDefault(undefined);
  }

  /** Returns the plan with this name, or the default plan if there is none. */
  async findOrDefault(name: string | undefined): Promise<Plan> {
    const now = this.clock.now().getTime();
    if (now >= this.readUntil) {
      this.plans = new Map((await this.repository.list()).map((plan) => [plan._id, plan]));
      this.readUntil = now + CACHE_TTL_MS;
    }
    const { defaultPlan } = this.config;
    const plan = this.plans.get(name ?? '') ?? this.plans.get(defaultPlan);
    if (plan) return plan;
    throw new OperatorError(
      `DEFAULT_PLAN is ${defaultPlan}, but there is no such plan; use one of ${[...this.plans.keys()].join(', ')}`,
    );
  }
}
