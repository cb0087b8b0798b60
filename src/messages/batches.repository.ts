import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch } from './batch.schema';

@Injectable()
export class BatchesRepository {
  constructor(@InjectModel(Batch.name) private readonly batches: Model<Batch>) {}

  async insert(batch: Batch): Promise<void> {
    await this.batches.insertMany([batch], { lean: true });
  }

  /** The commit of a send. @returns false when the batch was abandoned meanwhile. */
  async accept(account: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.batches.updateOne(
      { _id: id, user: account.user, acceptance: 'accepting' },
      { $set: { acceptance: 'accepted', updatedAt: now } },
    );
    return result.modifiedCount === 1;
  }

  /**
   * Gives a group its place on the phone's timeline, unless it has one.
   * @returns the batch as it is then: of two at once, both see the first one's place.
   */
  async placeGroup(id: Types.ObjectId, group: number, startAt: Date, gapMs: number): Promise<Batch | null> {
    await this.batches.updateOne(
      { _id: id, [`groups.${group}.startAt`]: { $exists: false } },
      { $set: { [`groups.${group}.startAt`]: startAt, [`groups.${group}.gapMs`]: gapMs } },
    );
    return this.batches.findById(id).lean<Batch>();
  }

  /** The group's messages carry the times of their waves. */
  async markPlanned(id: Types.ObjectId, group: number): Promise<void> {
    await this.batches.updateOne({ _id: id }, { $set: { [`groups.${group}.planned`]: true } });
  }

  /** An accepted batch of this device. */
  find(account: AccountScope, device: Types.ObjectId, id: Types.ObjectId): Promise<Batch | null> {
    return this.batches
      .findOne({ _id: id, user: account.user, device, acceptance: 'accepted' })
      .lean<Batch>();
  }

  /** For dispatch, which acts for every account: a batch that is accepted, else null. */
  findAccepted(id: Types.ObjectId): Promise<Batch | null> {
    return this.batches.findOne({ _id: id, acceptance: 'accepted' }).lean<Batch>();
  }
}
