import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { ApiKeysRepository } from '../auth/api-keys/api-keys.repository';
import { DevicesRepository } from '../devices/devices.repository';
import { type MessageTotals, TotalsService } from '../maintenance/rollups/totals.service';

export interface AccountTotals extends MessageTotals {
  readonly devices: number;
  readonly apiKeys: number;
}

@Injectable()
export class StatsService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly messages: TotalsService,
    private readonly keys: ApiKeysRepository,
  ) {}

  async totals(account: AccountScope): Promise<AccountTotals> {
    const [messages, devices, apiKeys] = await Promise.all([
      this.messages.ofAccount(account),
      this.devices.count(account),
      this.keys.countActive(account),
    ]);
    return { ...messages, devices, apiKeys };
  }
}
