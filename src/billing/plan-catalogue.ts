import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/clock';
import { OperatorError } from '../common/errors';
import { BillingConfig } from '../config/billing.config';
import { Plan, SEEDED_PLANS } from './plan.schema';
import { PlansRepository } from './plans.repository';

/** How long a plan that was edited in the database may still be read as it was. */
const FRESH_MS = 10_000;

class UnknownDefaultPlan extends OperatorError {
  constructor(name: string, known: readonly Plan[]) {
    super(`DEFAULT_PLAN names no plan: there is no ${name}, only ${known.map(({ _id }) => _id).join(', ')}`);
  }
}

/** The plans, read from the database every few seconds: a send does not pay for looking one up. */
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
    await this.planOf(undefined);
  }

  /** The plan with this name; the default one for accounts that have none, or one that is gone. */
  async planOf(name: string | undefined): Promise<Plan> {
    const now = this.clock.now().getTime();
    if (now >= this.readUntil) {
      this.plans = new Map((await this.repository.list()).map((plan) => [plan._id, plan]));
      this.readUntil = now + FRESH_MS;
    }
    const plan =
      (name === undefined ? undefined : this.plans.get(name)) ?? this.plans.get(this.config.defaultPlan);
    if (!plan) throw new UnknownDefaultPlan(this.config.defaultPlan, [...this.plans.values()]);
    return plan;
  }
}
