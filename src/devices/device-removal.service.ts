import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { ApiKeysRepository } from '../auth/api-keys/api-keys.repository';
import { Clock } from '../common/clock';
import { AccessChanges } from '../infrastructure/redis/access-changes';
import { DeviceNotFound } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { SimSync } from './sims/sim-sync.service';

@Injectable()
export class DeviceRemovalService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly sims: SimSync,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** See `DevicesService.remove`. @throws DeviceNotFound */
  async remove(account: AccountScope, id: Types.ObjectId, deletesMessages: boolean): Promise<void> {
    const now = this.clock.now();
    // Revoke first: if the process dies here, the device can be deleted again and no key of a deleted device remains.
    await this.keys.revokeOfDevice(account, id, now);
    await this.accounts.unsetDefaultDevice(account, id, now);
    await this.sims.detach(account, id, now);
    if (!(await this.devices.markDeleted(account, id, now, deletesMessages))) throw new DeviceNotFound();
    // Again, because a key may have been bound or SIMs reported in the meantime.
    await this.keys.revokeOfDevice(account, id, now);
    await this.sims.detach(account, id, now);
    await this.accessChanges.publish(account);
  }
}
