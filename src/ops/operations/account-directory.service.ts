import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import {
  type AccountFilter,
  AccountsRepository,
  type AccountSummary,
} from '../../auth/accounts/accounts.repository';
import type { PlanSubscription } from '../../billing/plan-subscription';
import { PlanSubscriptionService } from '../../billing/plan-subscription.service';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { AccountNotFound } from './operations.errors';

export interface AccountQuery {
  readonly filter: Pick<AccountFilter, 'emailPrefix' | 'isDisabled'> & { readonly plan?: string };
  readonly limit: number;
  /** The address of the last account of the page before; empty for the first page. */
  readonly after: string;
}

/** An account as operators see it: nothing of its messages. */
export interface OperatedAccount {
  readonly account: AccountSummary;
  /** Paired phones. */
  readonly devices: number;
  readonly subscription: PlanSubscription;
}

export interface AccountPage {
  readonly accounts: readonly OperatedAccount[];
  /** The address of the last account; undefined on the last page. */
  readonly lastEmail: string | undefined;
}

@Injectable()
export class AccountDirectory {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly subscriptions: PlanSubscriptionService,
  ) {}

  /** Lists accounts by their addresses. */
  async list({ filter, limit, after }: AccountQuery): Promise<AccountPage> {
    const { plan, ...others } = filter;
    const plans = plan === undefined ? undefined : await this.subscriptions.namesOf(plan);
    const found = await this.accounts.listAfter(after, limit + 1, { ...others, ...(plans && { plans }) });
    const page = found.slice(0, limit);
    return {
      accounts: await this.describe(page),
      lastEmail: found.length > limit ? page.at(-1)?.email : undefined,
    };
  }

  /** @throws AccountNotFound */
  async get(account: AccountScope): Promise<OperatedAccount> {
    const summary = await this.accounts.findSummary(account);
    const [described] = summary ? await this.describe([summary]) : [];
    if (!described) throw new AccountNotFound();
    return described;
  }

  private async describe(accounts: readonly AccountSummary[]): Promise<OperatedAccount[]> {
    const [devices, subscriptions] = await Promise.all([
      this.devices.countOfAccounts(accounts.map(({ _id }) => _id)),
      this.subscriptions.ofAccounts(accounts),
    ]);
    return accounts.flatMap((account, index) => {
      const subscription = subscriptions[index];
      return subscription
        ? [{ account, devices: devices.get(account._id.toHexString()) ?? 0, subscription }]
        : [];
    });
  }
}
