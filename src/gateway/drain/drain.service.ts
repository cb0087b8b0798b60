import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { Device } from '../../devices/store/device.schema';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { type DrainCounts, DrainRepository } from './drain.repository';
import { idsOf } from '../../common/documents';

export interface DrainProgress extends DrainCounts {
  readonly drainingSince: Date;
}

/**
 * Takes a device out of use. It gets no new sends; messages of pools go out from other SIMs when they are due; the others
 * that it has been given still go out from it.
 */
@Injectable()
export class DrainService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly sims: SimsRepository,
    private readonly messages: DrainRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts draining a device, and tells how far it is. Idempotent.
   * @throws DeviceNotFound
   */
  async drain(account: AccountScope, id: Types.ObjectId): Promise<DrainProgress> {
    const { drainingSince } = await this.setDraining(account, id, true);
    if (!drainingSince) throw new DeviceNotFound();
    return { drainingSince, ...(await this.messages.count(account, id)) };
  }

  /**
   * Ends it: the device takes new messages again. Idempotent.
   * @throws DeviceNotFound
   */
  async end(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.setDraining(account, id, false);
  }

  private async setDraining(account: AccountScope, id: Types.ObjectId, isDraining: boolean): Promise<Device> {
    const now = this.clock.now();
    const device = await this.devices.setDraining(account, id, isDraining, now);
    if (!device) throw new DeviceNotFound();
    // Messages that wait for its SIMs are due within seconds, and again after decisions that did not know of it.
    await this.sims.markForReview(idsOf(await this.sims.listPresent(account, id)), now);
    return device;
  }
}
