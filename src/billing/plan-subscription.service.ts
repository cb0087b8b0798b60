import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository, type AccountSummary } from '../auth/accounts/accounts.repository';
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

  /** The plan as accounts store it; null stands for accounts that store none and are on the default plan. */
  async namesOf(plan: string): Promise<(string | null)[]> {
    const { _id } = await this.catalogue.findOrDefault(undefined);
    return plan === _id ? [plan, null] : [plan];
  }

  /** The plans and usage of several accounts, in their order; across accounts. */
  async ofAccounts(accounts: readonly Pick<AccountSummary, '_id' | 'plan'>[]): Promise<PlanSubscription[]> {
    const usages = await this.usages.findOfAccounts(accounts.map(({ _id }) => _id));
    const now = this.clock.now();
    const subscriptions: PlanSubscription[] = [];
    for (const { _id, plan } of accounts) {
      const usage = usages.get(_id.toHexString()) ?? null;
      subscriptions.push(toPlanSubscription(await this.catalogue.findOrDefault(plan), usage, now));
    }
    return subscriptions;
  }

  async current(account: AccountScope): Promise<PlanSubscription> {
    const [sendingAccount, usage] = await Promise.all([
      this.accounts.findSendingAccount(account),
      this.usages.find(account),
    ]);
    return toPlanSubscription(
      await this.catalogue.findOrDefault(sendingAccount?.plan),
      usage,
      this.clock.now(),
    );
  }
}
