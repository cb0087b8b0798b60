import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../../auth/account-scope';
import { ApiKeysRepository } from '../../../auth/api-keys/api-keys.repository';
import { PlanSubscriptionService } from '../../../billing/plan-subscription.service';
import { UNLIMITED } from '../../../billing/plans/plan.schema';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import type { CountKind, MessageTotals } from '../../../totals/totals.schema';
import { TotalsService } from '../../../totals/totals.service';
import { NO_COUNTS, SeriesService } from './series.service';

export interface AccountTotals extends MessageTotals {
  readonly devices: number;
  readonly apiKeys: number;
}

/** What happened in the current UTC month, and what the plan has left of it. `failed` is without those cancelled or suppressed. */
export interface MonthTotals extends Readonly<Record<CountKind, number>> {
  readonly from: Date;
  readonly resetsAt: Date;
  /** Messages that count towards the plan. */
  readonly used: number;
  /** Null if the plan is unlimited. */
  readonly left: number | null;
}

@Injectable()
export class StatsService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly messages: TotalsService,
    private readonly keys: ApiKeysRepository,
    private readonly series: SeriesService,
    private readonly plans: PlanSubscriptionService,
  ) {}

  async totals(account: AccountScope): Promise<AccountTotals> {
    const [messages, devices, apiKeys] = await Promise.all([
      this.messages.ofAccount(account),
      this.devices.count(account),
      this.keys.countActive(account),
    ]);
    return { ...messages, devices, apiKeys };
  }

  /** The current month of the account. Counts of messages are exact, like its totals. */
  async month(account: AccountScope): Promise<MonthTotals> {
    const { periodStart, periodEnd: resetsAt, thisMonth } = await this.plans.current(account);
    const bounds = [periodStart.getTime(), resetsAt.getTime()];
    const [month = { at: periodStart, ...NO_COUNTS }] = await this.series.read(account, { bounds });
    const { at: from, ...counts } = month;
    const { used, limit, remaining } = thisMonth;
    return { from, resetsAt, ...counts, used, left: limit === UNLIMITED ? null : remaining };
  }
}
