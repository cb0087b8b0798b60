import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { PlanSubscriptionService } from '../billing/plan-subscription.service';
import { Clock } from '../common/clock';
import { planOccurrences } from './notice-sources';
import { NoticesRepository } from './notices.repository';

const PAGE_SIZE = 200;

/** Notices plans that are nearly used. It reads all accounts, so that sends need no write for it. */
@Injectable()
export class PlanNotices {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly plans: PlanSubscriptionService,
    private readonly notices: NoticesRepository,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<void> {
    let after = '';
    for (;;) {
      const page = await this.accounts.listAfter(after, PAGE_SIZE, { isDisabled: false });
      const subscriptions = await this.plans.ofAccounts(page);
      const now = this.clock.now();
      await this.notices.record(
        page.flatMap(({ _id }, index) => {
          const subscription = subscriptions[index];
          return subscription ? planOccurrences(_id, subscription, now) : [];
        }),
      );
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      after = last.email;
    }
  }
}
