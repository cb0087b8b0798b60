import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Device } from '../store/device.schema';
import { SimRecord } from './schemas/sim.schema';

/** Whose timeline it is: a SIM, or a phone. */
interface TimelineOwner {
  readonly device: Types.ObjectId;
  readonly sim?: Types.ObjectId;
}

/** The end of the last slot that large sends have reserved of a phone or a SIM. */
type Timeline = Pick<Device, '_id' | 'user' | 'dispatchFreeAt'>;

@Injectable()
export class TimelinesRepository {
  constructor(
    @InjectModel(Device.name) private readonly devices: Model<Timeline>,
    @InjectModel(SimRecord.name) private readonly sims: Model<Timeline>,
  ) {}

  /**
   * Reserves the next free slot in one write, so that large sends never overlap.
   * @returns the start of the slot, or null if there is no such phone or SIM.
   */
  async reserve(
    { user }: AccountScope,
    { device, sim }: TimelineOwner,
    durationMs: number,
    now: Date,
  ): Promise<Date | null> {
    const nextSlot = { dispatchFreeAt: { $add: [{ $max: ['$dispatchFreeAt', now] }, durationMs] } };
    const reserved = await (sim ? this.sims : this.devices)
      .findOneAndUpdate({ _id: sim ?? device, user }, [{ $set: nextSlot }], {
        updatePipeline: true,
        returnDocument: 'after',
        projection: { dispatchFreeAt: 1 },
      })
      .lean<Timeline>();
    return reserved?.dispatchFreeAt ? new Date(reserved.dispatchFreeAt.getTime() - durationMs) : null;
  }

  /** Releases a slot if it is the last one reserved. */
  async release(
    { user }: AccountScope,
    { device, sim }: TimelineOwner,
    startAt: Date,
    durationMs: number,
  ): Promise<void> {
    const dispatchFreeAt = new Date(startAt.getTime() + durationMs);
    await (sim ? this.sims : this.devices).updateOne(
      { _id: sim ?? device, user, dispatchFreeAt },
      { $set: { dispatchFreeAt: startAt } },
    );
  }
}
