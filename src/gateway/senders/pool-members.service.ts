import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { connectionOf } from '../../devices/connection/connection';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { pushErrorOf } from '../../devices/store/push-error';
import { summarizeHealth } from '../../devices/sims/health/sim-health';
import { SimUsageRepository } from '../../devices/sims/sim-usage.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { PushClient } from '../../push/push-client.service';
import type { PoolMember } from './pool-sim';

/** Loads the SIMs of pools with what decides about them. */
@Injectable()
export class PoolMembersReader {
  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly devices: DevicesRepository,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /** Those of the SIMs that exist, in this order, by three queries, which concurrent calls share. */
  async load(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<PoolMember[]> {
    if (ids.length === 0) return [];
    const [sims, usages] = await Promise.all([
      this.sims.findMany(account, ids),
      this.usages.find(account, ids),
    ]);
    const phones = sims.flatMap(({ isPresent, device }) => (isPresent && device ? device : []));
    const devices = await this.devices.findExisting(account, phones);
    const now = this.clock.now();
    return ids.flatMap((id): PoolMember[] => {
      const sim = sims.find(({ _id }) => _id.equals(id));
      if (!sim) return [];
      const device = sim.isPresent ? devices.find(({ _id }) => sim.device?.equals(_id)) : undefined;
      const usage = usages.get(id.toHexString());
      return [
        {
          sim,
          ...(device && { device }),
          isReachable:
            device !== undefined &&
            !pushErrorOf(device, this.pushClient.isFcmConfigured) &&
            connectionOf(device, now).state === 'online',
          health: summarizeHealth(sim.health, now),
          ...(usage && { usage }),
        },
      ];
    });
  }
}
