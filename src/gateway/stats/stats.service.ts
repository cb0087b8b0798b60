import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { ApiKeysRepository } from '../../auth/api-keys/api-keys.repository';
import { PlanSubscriptionService } from '../../billing/plan-subscription.service';
import { UNLIMITED } from '../../billing/plans/plan.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { COUNT_KINDS, type MessageTotals } from '../../maintenance/rollups/totals.schema';
import { TotalsService } from '../../maintenance/rollups/totals.service';
import { SeriesService } from './series.service';
import type { MonthResponse } from './stats.response';

export interface AccountTotals extends MessageTotals {
  readonly devices: number;
  readonly apiKeys: number;
}

/** What happened in the current UTC month, and what the plan has left of it. */
export type MonthTotals = Readonly<MonthResponse>;

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
    const { periodStart: from, periodEnd: resetsAt, thisMonth } = await this.plans.current(account);
    const days = await this.series.read(account, { from, to: resetsAt, bucket: 'day' });
    const [received, sent, delivered, failed] = COUNT_KINDS.map((kind) =>
      days.reduce((sum, day) => sum + day[kind], 0),
    ) as [number, number, number, number];
    const { used, limit, remaining } = thisMonth;
    return {
      from,
      resetsAt,
      sent,
      delivered,
      failed,
      received,
      used,
      left: limit === UNLIMITED ? null : remaining,
    };
  }
}
