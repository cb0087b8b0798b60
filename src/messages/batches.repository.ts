import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering, gatheredReads } from '../common/gathering';
import { writeManySafely } from '../common/persistence/database-outage';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { insertEach } from '../common/persistence/insert-each';
import { ofEach } from '../common/persistence/of-each';
import { reached } from '../common/persistence/reached';
import { Batch, DispatchGroup } from './batch.schema';

type Planned = Pick<Batch, 'groups' | 'estimatedCompletionAt'>;

/** What a cancellation has come to. */
interface Cancelled {
  readonly count: number;
  /** The days that was charged to. */
  readonly charges: readonly { readonly day: string; readonly count: number }[];
}

interface AcceptanceOf {
  readonly batch: Pick<Batch, '_id'>;
  readonly planned: Planned;
  readonly now: Date;
}

@Injectable()
export class BatchesRepository {
  private readonly inserts = new Gathering(async (batches: readonly Batch[]) => {
    const faults = await insertEach(this.batches, batches);
    return faults.map((fault) => fault && Promise.reject(fault));
  });
  private readonly acceptances = new Gathering((asked: readonly AcceptanceOf[]) => this.acceptAll(asked));
  private readonly forDispatch = gatheredReads(String, (ids: readonly Types.ObjectId[]) =>
    this.readForDispatch(ids),
  );

  constructor(@InjectModel(Batch.name) private readonly batches: Model<Batch>) {}

  /** @returns false when the account has a batch under the same idempotency key. */
  async insert(batch: Batch): Promise<boolean> {
    try {
      await this.inserts.ask(batch);
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  findByIdempotencyKey(account: AccountScope, idempotencyKey: string): Promise<Batch | null> {
    return this.batches.findOne({ user: account.user, idempotencyKey }).lean<Batch>();
  }

  /**
   * The commit of a send.
   * @returns the accepted batch, or null when it was abandoned meanwhile.
   */
  async accept({ unsettledSince: _, ...batch }: Batch, planned: Planned, now: Date): Promise<Batch | null> {
    const accepted: Batch = { ...batch, ...planned, acceptance: 'accepted', updatedAt: now };
    return (await this.acceptances.ask({ batch, planned, now })) ? accepted : null;
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

  /**
   * Notes a cancellation on its batch before anything is cancelled: should its process die, the sweeper completes it.
   * @returns the batch, or null when the device has no such batch.
   */
  startCancel(
    account: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<Batch | null> {
    return this.batches
      .findOneAndUpdate(
        { _id: id, user: account.user, device, acceptance: 'accepted' },
        { $set: { cancellingSince: now, updatedAt: now }, $push: { cancellations: cancellation } },
        { returnDocument: 'after' },
      )
      .lean<Batch>();
  }

  /** Ends a cancellation once what it cancelled is given back; run twice it does nothing. */
  async finishCancel(
    { _id, user, cancellations, chargedDays }: Batch,
    cancellation: Types.ObjectId,
    { count, charges }: Cancelled,
  ): Promise<void> {
    const days = chargedDays ? charges : [];
    const refunds = Object.fromEntries(days.map((charge) => [`chargedDays.${charge.day}`, -charge.count]));
    await this.batches.updateOne(
      // One that an older version of the service began is on no list.
      {
        _id,
        user,
        ...(cancellations ? { cancellations: cancellation } : { cancelledCount: { $exists: false } }),
      },
      { $inc: { cancelledCount: count, ...refunds }, $pull: { cancellations: cancellation } },
    );
    await this.batches.updateOne(
      { _id, user, $or: [{ cancellations: { $size: 0 } }, { cancellations: { $exists: false } }] },
      { $unset: { cancellingSince: 1, cancellations: 1 } },
    );
  }

  /** Batches with a cancellation that has been under way since before `since`. */
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
    return this.forDispatch.ask(id);
  }

  private async acceptAll(asked: readonly AcceptanceOf[]): Promise<boolean[]> {
    const given = ofEach(
      asked,
      ({ batch }) => batch._id,
      ({ planned, now }): Partial<Batch> => ({ ...planned, acceptance: 'accepted', updatedAt: now }),
    );
    const ids = asked.map(({ batch }) => batch._id);
    const result = await writeManySafely(() =>
      this.batches.collection.updateMany({ _id: { $in: ids }, acceptance: 'accepting' }, [
        { $replaceWith: { $mergeObjects: ['$$ROOT', given] } },
        { $unset: 'unsettledSince' },
      ]),
    );
    if (result.modifiedCount === asked.length) return asked.map(() => true);
    // Only whoever stored a batch accepts it, and only here: what is accepted now has become so just now.
    const accepted = await this.batches
      .find({ _id: { $in: ids }, acceptance: 'accepted' }, { _id: 1 })
      .lean();
    const hexes = new Set(accepted.map(({ _id }) => _id.toHexString()));
    return asked.map(({ batch }) => hexes.has(batch._id.toHexString()));
  }

  private async readForDispatch(ids: readonly Types.ObjectId[]): Promise<Map<string, Batch>> {
    const found = await this.batches.find({ _id: { $in: ids } }).lean<Batch[]>();
    return new Map(found.map((batch) => [String(batch._id), batch]));
  }
}
