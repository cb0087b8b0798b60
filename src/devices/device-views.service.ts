import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import type { MessageTotals } from '../maintenance/rollups/totals.schema';
import { TotalsService } from '../maintenance/rollups/totals.service';
import { PhoneFactsReader } from './problems/phone-facts.service';
import { healthOf, type PhoneFacts, type PhoneHealth, problemsOfPhone } from './problems/phone-problems';
import type { Device } from './device.schema';

export interface DeviceView extends Omit<PhoneFacts, 'sims'> {
  readonly totals: MessageTotals;
  /** Whether sends without a `deviceId` use this device. */
  readonly isDefault: boolean;
  readonly health: PhoneHealth;
}

/** Adds to devices what is not stored with them. */
@Injectable()
export class DeviceViews {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly totals: TotalsService,
    private readonly facts: PhoneFactsReader,
  ) {}

  async of(account: AccountScope, devices: readonly Device[]): Promise<DeviceView[]> {
    const ids = devices.map(({ _id }) => _id);
    const [totals, defaultDevice, phones] = await Promise.all([
      this.totals.ofDevices(account, ids),
      this.accounts.defaultDeviceOf(account),
      this.facts.of(account, devices),
    ]);
    return phones.map(({ sims, ...phone }) => ({
      ...phone,
      totals: totals.get(phone.device._id.toHexString()) ?? { sent: 0, received: 0 },
      isDefault: phone.device._id.equals(defaultDevice ?? ''),
      health: healthOf(problemsOfPhone({ ...phone, sims })),
    }));
  }
}
