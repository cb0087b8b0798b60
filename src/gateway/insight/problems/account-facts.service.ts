import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../../auth/account-scope';
import { AccountsRepository } from '../../../auth/accounts/accounts.repository';
import { PlanSubscriptionService } from '../../../billing/plan-subscription.service';
import { PoolsRepository } from '../../../devices/sims/pools/pools.repository';
import { WebhookSubscriptionsRepository } from '../../../webhooks/subscriptions/webhook-subscriptions.repository';
import { LoopTestsService } from '../../loop-tests/loop-tests.service';
import type { ProblemFacts } from './problems';

/** Reads the facts of an account that do not concern its phones. */
@Injectable()
export class AccountFactsReader {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly plans: PlanSubscriptionService,
    private readonly pools: PoolsRepository,
    private readonly webhooks: WebhookSubscriptionsRepository,
    private readonly loopTests: LoopTestsService,
  ) {}

  async read(
    account: AccountScope,
  ): Promise<Pick<ProblemFacts, 'account' | 'subscription' | 'pools' | 'webhooks' | 'loopRun'>> {
    const [profile, subscription, pools, webhooks, loopRun] = await Promise.all([
      this.accounts.findProfile(account),
      this.plans.current(account),
      this.pools.list(account),
      this.webhooks.list(account),
      this.loopTests.lastRun(account),
    ]);
    const { email = '', emailVerifiedAt } = profile ?? {};
    // As for sends, an account without an address need not be verified.
    const isVerified = email === '' || emailVerifiedAt !== undefined;
    return { account: { id: account.user, email, isVerified }, subscription, pools, webhooks, loopRun };
  }
}
