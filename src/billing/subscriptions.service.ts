import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { Clock } from '../common/clock';
import { PlanCatalogue } from './plan-catalogue';
import type { Plan } from './plan.schema';
import { PlansRepository } from './plans.repository';
import { type Subscription, subscriptionOf } from './subscription';
import { UsageRepository } from './usage.repository';

/** The plans there are, and the one an account has. */
@Injectable()
export class SubscriptionsService {
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

  async current(account: AccountScope): Promise<Subscription> {
    const [sender, usage] = await Promise.all([this.accounts.findSender(account), this.usages.find(account)]);
    return subscriptionOf(await this.catalogue.planOf(sender?.plan), usage, this.clock.now());
  }
}
