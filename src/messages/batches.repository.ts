import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { reached } from '../common/persistence/reached';
import { Batch, DispatchGroup } from './batch.schema';

@Injectable()
export class BatchesRepository {
  constructor(@InjectModel(Batch.name) private readonly batches: Model<Batch>) {}

  /** @returns false when the account has a batch under the same idempotency key. */
  async insert(batch: Batch): Promise<boolean> {
    try {
      await this.batches.insertMany([batch], { lean: true });
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  findByIdempotencyKey(account: AccountScope, idempotencyKey: string): Promise<Batch | null> {
    return this.batches.findOne({ user: account.user, idempotencyKey }).lean<Batch>();
  }

  /** The commit of a send. @returns the accepted batch, or null when it was abandoned meanwhile. */
  accept(
    batch: Batch,
    planned: Pick<Batch, 'groups' | 'estimatedCompletionAt'>,
    now: Date,
  ): Promise<Batch | null> {
    return this.batches
      .findOneAndUpdate(
        { _id: batch._id, user: batch.user, acceptance: 'accepting' },
        { $set: { acceptance: 'accepted', ...planned, updatedAt: now }, $unset: { unsettledSince: 1 } },
        { returnDocument: 'after' },
      )
      .lean<Batch>();
  }

  /** Gives a send up that was not accepted, and frees its key. @returns false when it was accepted meanwhile. */
  async abandon(batch: Batch, now: Date): Promise<boolean> {
    const result = await this.batches.updateOne(
      { _id: batch._id, user: batch.user, acceptance: { $in: ['accepting', 'abandoned'] } },
      { $set: { acceptance: 'abandoned', updatedAt: now }, $unset: { idempotencyKey: 1 } },
    );
    return result.matchedCount === 1;
  }

  /** Forgets an abandoned batch once nothing of it is left. */
  async remove(batch: Batch): Promise<void> {
    await this.batches.deleteOne({ _id: batch._id, user: batch.user, acceptance: 'abandoned' });
  }

  /** Sends that have been neither accepted nor cleaned up since before `since`. */
  listUnsettled(since: Date, limit: number): Promise<Batch[]> {
    return this.batches
      .find({ unsettledSince: reached(since) })
      .sort({ unsettledSince: 1 })
      .limit(limit)
      .lean<Batch[]>();
  }

  /** Notes that a batch is to be cancelled. @returns it, or null when the device has no such batch. */
  startCancel(
    account: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    now: Date,
  ): Promise<Batch | null> {
    return this.batches
      .findOneAndUpdate(
        { _id: id, user: account.user, device, acceptance: 'accepted' },
        { $set: { cancellingSince: now, updatedAt: now } },
        { returnDocument: 'after' },
      )
      .lean<Batch>();
  }

  async finishCancel(batch: Batch, cancelledCount: number): Promise<void> {
    await this.batches.updateOne(
      { _id: batch._id, user: batch.user },
      { $set: { cancelledCount }, $unset: { cancellingSince: 1 } },
    );
  }

  /** Cancels that have been under way since before `since`. */
  listCancelling(since: Date, limit: number): Promise<Batch[]> {
    return this.batches
      .find({ cancellingSince: reached(since) })
      .sort({ cancellingSince: 1 })
      .limit(limit)
      .lean<Batch[]>();
  }

  /**
   * Gives a group its place on the phone's timeline, unless it has one.
   * @returns the batch as it is then: of two at once, both see the first one's place.
   */
  async placeGroup(
    id: Types.ObjectId,
    group: number,
    place: Required<Pick<DispatchGroup, 'startAt' | 'gapMs' | 'durationMs'>>,
  ): Promise<Batch | null> {
    await this.batches.updateOne(
      { _id: id, [`groups.${group}.startAt`]: { $exists: false } },
      {
        $set: Object.fromEntries(
          Object.entries(place).map(([field, value]) => [`groups.${group}.${field}`, value]),
        ),
      },
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

  /** For dispatch, which acts for every account. */
  findForDispatch(id: Types.ObjectId): Promise<Batch | null> {
    return this.batches.findById(id).lean<Batch>();
  }
}
