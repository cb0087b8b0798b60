import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { ApiKeysRepository } from '../auth/api-keys/api-keys.repository';
import { DevicesRepository, DeviceTotals } from '../devices/devices.repository';

export interface AccountTotals extends DeviceTotals {
  readonly apiKeys: number;
}

@Injectable()
export class StatsService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly keys: ApiKeysRepository,
  ) {}

  async totals(account: AccountScope): Promise<AccountTotals> {
    const [totals, apiKeys] = await Promise.all([
      this.devices.totals(account),
      this.keys.countActive(account),
    ]);
    return { ...totals, apiKeys };
  }
}
