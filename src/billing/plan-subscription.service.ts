import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { Clock } from '../common/clock';
import { PlanCatalogue } from './plans/plan-catalogue';
import type { Plan } from './plans/plan.schema';
import { PlansRepository } from './plans/plans.repository';
import { type PlanSubscription, toPlanSubscription } from './plan-subscription';
import { UsageRepository } from './usage/usage.repository';

@Injectable()
export class PlanSubscriptionService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly plans: PlansRepository,
    private readonly catalogue: PlanCatalogue,
    private readonly usages: UsageRepository,
    private readonly clock: Clock,
  ) {}

  listPlans(): Promise<Plan[]> {
    return this.plans.list();
  }

  async current(account: AccountScope): Promise<PlanSubscription> {
    const [sender, usage] = await Promise.all([
      this.accounts.findSendingAccount(account),
      this.usages.find(account),
    ]);
    return toPlanSubscription(await this.catalogue.findOrDefault(sender?.plan), usage, this.clock.now());
  }
}
