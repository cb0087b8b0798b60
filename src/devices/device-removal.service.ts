import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { ApiKeysRepository } from '../auth/api-keys/api-keys.repository';
import { DeviceTokensRepository } from '../auth/device-tokens/device-tokens.repository';
import { Clock } from '../common/clock';
import { AccessChanges } from '../infrastructure/redis/access-changes';
import { DeviceNotFound } from './store/devices.errors';
import { DevicesRepository } from './store/devices.repository';
import { SimSync } from './sims/sim-sync.service';

export interface RemovalOptions {
  /** Records that its messages are to be deleted too. */
  readonly deletesMessages?: boolean;
  /** The phone that its waiting messages move to, and that becomes the default device if it was. */
  readonly replacedBy?: Types.ObjectId;
}

@Injectable()
export class DeviceRemovalService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly tokens: DeviceTokensRepository,
    private readonly sims: SimSync,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** See `DevicesService.remove`. @throws DeviceNotFound */
  async remove(account: AccountScope, id: Types.ObjectId, options: RemovalOptions): Promise<void> {
    const { replacedBy } = options;
    const now = this.clock.now();
    // Revoke first: if the process dies here, the device can be deleted again and no key of a deleted device remains.
    await this.revokeAccess(account, id, now);
    if (replacedBy) await this.accounts.replaceDefaultDevice(account, id, replacedBy, now);
    else await this.accounts.unsetDefaultDevice(account, id, now);
    await this.sims.detach(account, id, now);
    if (!(await this.devices.markDeleted(account, id, now, options))) throw new DeviceNotFound();
    // Again, because a key may have been bound or SIMs reported in the meantime.
    await this.revokeAccess(account, id, now);
    await this.sims.detach(account, id, now);
    await this.accessChanges.publish(account);
  }

  private async revokeAccess(account: AccountScope, id: Types.ObjectId, now: Date): Promise<void> {
    await Promise.all([this.keys.revokeOfDevice(account, id, now), this.tokens.remove(account, id)]);
  }
}
