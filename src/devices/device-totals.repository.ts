import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Device, RemovedTotals } from './device.schema';

const TOTALS = { user: 1, sentSMSCount: 1, receivedSMSCount: 1, removed: 1 } as const;

/** The totals of a device, which may be deleted. */
export type StoredTotals = Pick<Device, '_id' | keyof typeof TOTALS>;

/** Reads and corrects device totals. DevicesRepository increments them. */
@Injectable()
export class DeviceTotalsRepository {
  constructor(@InjectModel(Device.name) private readonly devices: Model<Device>) {}

  /** Lists device ids of all accounts, paged by id. */
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

  /** Sets the totals. @returns false if they, or the removed totals, have changed since they were read. */
  async mend(read: StoredTotals, sent: number, received: number): Promise<boolean> {
    const { _id, user, sentSMSCount, receivedSMSCount, removed } = read;
    const result = await this.devices.updateOne(
      { _id, user, sentSMSCount, receivedSMSCount, 'removed.chunk': removed?.chunk ?? { $exists: false } },
      { $set: { sentSMSCount: sent, receivedSMSCount: received } },
    );
    return result.matchedCount === 1;
  }

  /** Adds a chunk of removed messages, once: only if `before` is the last chunk that was added. */
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
