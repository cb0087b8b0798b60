import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import { messageMs } from '../waves/wave-plan';
import { type Lane, laneOfGroup } from './lane';

/** The time that large sends have reserved on each lane, so that they follow each other. */
@Injectable()
export class LaneTimelines {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly sims: SimsRepository,
  ) {}

  /** The time that a phone takes for a message of one part, in milliseconds. */
  async messageMsOf(account: AccountScope, device: Types.ObjectId): Promise<number> {
    return messageMs(1, (await this.devices.find(account, device)) ?? { smsSendDelaySeconds: 0 });
  }

  /** Reserves the next free slot of a lane. @returns its start; `now` if the phone or the SIM was deleted. */
  async reserve(account: AccountScope, { device, sim }: Lane, durationMs: number, now: Date): Promise<Date> {
    const startAt = sim
      ? await this.sims.reserveTimeline(account, sim, durationMs, now)
      : await this.devices.reserveTimeline(account, device, durationMs, now);
    return startAt ?? now;
  }

  /** Releases the slot of a group, or the end of it, if it is the last one reserved. */
  release(batch: Batch, group: DispatchGroup, startAt: Date, durationMs: number): Promise<void> {
    const account = accountScope(batch.user);
    const { device, sim } = laneOfGroup(batch, group);
    return sim
      ? this.sims.releaseTimeline(account, sim, startAt, durationMs)
      : this.devices.releaseTimeline(account, device, startAt, durationMs);
  }
}
