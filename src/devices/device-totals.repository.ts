import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Device, RemovedTotals } from './device.schema';

const TOTALS = { user: 1, sentSMSCount: 1, receivedSMSCount: 1, removed: 1 } as const;

/** A device's totals as they were read; deleted devices have them too. */
export type StoredTotals = Pick<Device, '_id' | keyof typeof TOTALS>;

/** The devices' totals as they are mended. What moves them from day to day is in the devices repository. */
@Injectable()
export class DeviceTotalsRepository {
  constructor(@InjectModel(Device.name) private readonly devices: Model<Device>) {}

  /** The ids of all devices in their order, in pages: those after `after`. */
  async listIdsAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.devices
      .find(after ? { _id: { $gt: after } } : {}, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  find(id: Types.ObjectId): Promise<StoredTotals | null> {
    return this.devices.findById(id, TOTALS).lean<StoredTotals>();
  }

  findMany(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<StoredTotals[]> {
    return this.devices.find({ _id: { $in: ids }, user: account.user }, TOTALS).lean<StoredTotals[]>();
  }

  /** Sets the totals. @returns false when they, or what they stand on, have moved since they were read. */
  async mend(read: StoredTotals, sent: number, received: number): Promise<boolean> {
    const { _id, user, sentSMSCount, receivedSMSCount, removed } = read;
    const result = await this.devices.updateOne(
      { _id, user, sentSMSCount, receivedSMSCount, 'removed.chunk': removed?.chunk ?? { $exists: false } },
      { $set: { sentSMSCount: sent, receivedSMSCount: received } },
    );
    return result.matchedCount === 1;
  }

  /** Adds messages that are being removed to what the totals stand on: once, after the chunk before. */
  async setRemoved(
    account: AccountScope,
    id: Types.ObjectId,
    before: Types.ObjectId | undefined,
    removed: RemovedTotals,
  ): Promise<void> {
    await this.devices.updateOne(
      { _id: id, user: account.user, 'removed.chunk': before ?? { $exists: false } },
      { $set: { removed } },
    );
  }
}
