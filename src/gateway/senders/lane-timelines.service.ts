import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { TimelinesRepository } from '../../devices/sims/timelines.repository';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import { messageMs } from '../waves/wave-plan';
import { type Lane, laneOfGroup } from './lane';

/** The time that large sends have reserved on each lane, so that they follow each other. */
@Injectable()
export class LaneTimelines {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly timelines: TimelinesRepository,
  ) {}

  /** The time that a phone takes for a message of one part, in milliseconds. */
  async messageMsOf(account: AccountScope, device: Types.ObjectId): Promise<number> {
    return messageMs(1, (await this.devices.find(account, device)) ?? { smsSendDelaySeconds: 0 });
  }

  /** Reserves the next free slot of a lane. @returns its start; `now` if the phone or the SIM was deleted. */
  async reserve(account: AccountScope, lane: Lane, durationMs: number, now: Date): Promise<Date> {
    return (await this.timelines.reserve(account, lane, durationMs, now)) ?? now;
  }

  /** Releases the slot of a group, or the end of it, if it is the last one reserved. */
  release(batch: Batch, group: DispatchGroup, startAt: Date, durationMs: number): Promise<void> {
    return this.timelines.release(accountScope(batch.user), laneOfGroup(batch, group), startAt, durationMs);
  }
}
