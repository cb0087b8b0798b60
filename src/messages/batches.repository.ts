import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Coalescer, CoalescedLoader } from '../common/coalescer';
import { writeManyWithRetry } from '../common/database-outage';
import { ifDuplicate } from '../infrastructure/mongo/duplicate-key';
import { byOwnedIds, type OwnedId } from '../infrastructure/mongo/owned-ids';
import { insertManyUnordered } from '../infrastructure/mongo/unordered-writes';
import { valuePerDocument } from '../infrastructure/mongo/value-per-document';
import { atOrBefore } from '../infrastructure/mongo/at-or-before';
import { Batch, carriedBy, DispatchGroup, isBulk, VISIBLE_BATCH } from './batch.schema';

type DispatchPlan = Pick<Batch, 'groups' | 'estimatedCompletionAt'>;

/** The key includes the account, so that a caller never gets another account's batch. */
const keyOf = ({ _id, user }: OwnedId): string => `${user.toHexString()} ${_id.toHexString()}`;

interface AcceptRequest {
  readonly batch: Pick<Batch, '_id' | 'user' | 'recipientCount'>;
  readonly plan: DispatchPlan;
  readonly now: Date;
}

@Injectable()
export class BatchesRepository {
  private readonly insertCoalescer = new Coalescer(async (batches: readonly Batch[]) => {
    const errors = await insertManyUnordered(this.batches, batches);
    return errors.map((error) => error && Promise.reject(error));
  });
  private readonly acceptCoalescer = new Coalescer((requests: readonly AcceptRequest[]) =>
    this.acceptBatches(requests),
  );
  private readonly dispatchLoader = new CoalescedLoader(keyOf, (keys: readonly OwnedId[]) =>
    this.loadForDispatch(keys),
  );

  constructor(@InjectModel(Batch.name) private readonly batches: Model<Batch>) {}

  /** @returns false if the account already has a batch with this idempotency key. */
  insert(batch: Batch): Promise<boolean> {
    return ifDuplicate(false, async () => {
      await this.insertCoalescer.submit(batch);
      return true;
    });
  }

  findByIdempotencyKey(account: AccountScope, idempotencyKey: string): Promise<Batch | null> {
    return this.batches.findOne({ user: account.user, idempotencyKey }).lean<Batch>();
  }

  /**
   * Commits a send.
   * @returns the accepted batch, or null if it was abandoned in the meantime.
   */
  async accept({ unsettledSince: _, ...batch }: Batch, plan: DispatchPlan, now: Date): Promise<Batch | null> {
    const accepted: Batch = { ...batch, ...plan, acceptance: 'accepted', updatedAt: now };
    return (await this.acceptCoalescer.submit({ batch, plan, now })) ? accepted : null;
  }

  /** Records the groups of an unaccepted send, so that a rollback releases their slots. */
  async recordGroups(batch: Batch, groups: readonly DispatchGroup[]): Promise<void> {
    await this.batches.updateOne(
      { _id: batch._id, user: batch.user, acceptance: 'accepting' },
      { $set: { groups: [...groups] } },
    );
  }

  /**
   * Abandons an unaccepted send and frees its idempotency key.
   * @returns the batch as stored; null if it was accepted in the meantime.
   */
  abandon(batch: Batch, now: Date): Promise<Batch | null> {
    return this.batches
      .findOneAndUpdate(
        { _id: batch._id, user: batch.user, acceptance: { $in: ['accepting', 'abandoned'] } },
        { $set: { acceptance: 'abandoned', updatedAt: now }, $unset: { idempotencyKey: 1 } },
        { returnDocument: 'after' },
      )
      .lean<Batch>();
  }

  /** Deletes an abandoned batch, after its messages. */
  async remove(batch: Batch): Promise<void> {
    await this.batches.deleteOne({ _id: batch._id, user: batch.user, acceptance: 'abandoned' });
  }

  /** Lists batches whose send started at or before `since` and is neither accepted nor abandoned and deleted. */
  listUnaccepted(since: Date, limit: number): Promise<Batch[]> {
    return this.batches
      .find({ unsettledSince: atOrBefore(since) })
      .sort({ unsettledSince: 1 })
      .limit(limit)
      .lean<Batch[]>();
  }

  /**
   * Claims the planning of a group, because its slot must be reserved only once.
   * @param expiredAt claims of this time or earlier are from processes that died.
   * @returns false if the group has a start or another worker plans it.
   */
  async claimPlanning({ _id, user }: OwnedId, group: number, now: Date, expiredAt: Date): Promise<boolean> {
    const result = await this.batches.updateOne(
      {
        _id,
        user,
        [`groups.${group}.startAt`]: { $exists: false },
        [`groups.${group}.planningSince`]: { $not: { $gt: expiredAt } },
      },
      { $set: { [`groups.${group}.planningSince`]: now } },
    );
    return result.modifiedCount === 1;
  }

  /**
   * Stores when a group starts, unless that is stored or the group was rescheduled meanwhile.
   * @param scheduledAt the time for which it was planned.
   * @returns the updated batch; concurrent callers all see the first start.
   */
  async storeStart(
    { _id, user }: OwnedId,
    group: number,
    scheduledAt: Date | undefined,
    startAt: Date,
  ): Promise<Batch | null> {
    await this.batches.updateOne(
      {
        _id,
        user,
        [`groups.${group}.startAt`]: { $exists: false },
        [`groups.${group}.scheduledAt`]: scheduledAt ?? { $exists: false },
      },
      { $set: { [`groups.${group}.startAt`]: startAt } },
    );
    return this.batches.findOne({ _id, user }).lean<Batch>();
  }

  async addDevices({ _id, user }: OwnedId, devices: readonly Types.ObjectId[]): Promise<void> {
    await this.batches.updateOne({ _id, user }, { $addToSet: { devices: { $each: [...devices] } } });
  }

  /** Has batches read the blocks of their recipients before their messages leave, or not. */
  async setChecksConsent(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    checksConsent: boolean,
  ): Promise<void> {
    await this.batches.updateMany(
      { _id: { $in: ids }, user },
      checksConsent ? { $set: { checksConsent: true } } : { $unset: { checksConsent: 1 } },
    );
  }

  /** What these batches of an account declare, and whether they are accepted. */
  listDeclared(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
  ): Promise<Pick<Batch, '_id' | 'acceptance' | 'purpose' | 'topic'>[]> {
    return this.batches
      .find({ _id: { $in: ids }, user }, { acceptance: 1, purpose: 1, topic: 1 })
      .lean<Pick<Batch, '_id' | 'acceptance' | 'purpose' | 'topic'>[]>();
  }

  /** Records that a phone has messages of these batches. */
  async addDevice(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    device: Types.ObjectId,
  ): Promise<void> {
    const known = { $ifNull: ['$devices', ['$device']] };
    await this.batches.updateMany(
      { _id: { $in: ids }, user, devices: { $ne: device } },
      [{ $set: { devices: { $concatArrays: [known, [device]] } } }],
      { updatePipeline: true },
    );
  }

  /** Records that the wave times are stored on the group's messages. @param startAt the stored start. */
  async markPlanned({ _id, user }: OwnedId, group: number, startAt: Date): Promise<void> {
    await this.batches.updateOne(
      { _id, user, [`groups.${group}.startAt`]: startAt },
      { $set: { [`groups.${group}.planned`]: true } },
    );
  }

  /** Finds an accepted batch of which this device carries a message. */
  find(account: AccountScope, device: Types.ObjectId, id: Types.ObjectId): Promise<Batch | null> {
    return this.batches
      .findOne({ _id: id, user: account.user, ...carriedBy(device), ...VISIBLE_BATCH })
      .lean<Batch>();
  }

  /** Finds an accepted batch of the account, unless it is hidden. */
  findVisible(account: AccountScope, id: Types.ObjectId): Promise<Batch | null> {
    return this.batches.findOne({ _id: id, user: account.user, ...VISIBLE_BATCH }).lean<Batch>();
  }

  /** The account of a batch, for jobs that do not name it. */
  async findOwner(id: Types.ObjectId): Promise<Types.ObjectId | undefined> {
    const found = await this.batches.findById(id, { user: 1 }).lean<Pick<Batch, 'user'>>();
    return found?.user;
  }

  /** Finds a batch, accepted or not. Concurrent reads share a query. */
  findForDispatch({ user }: AccountScope, id: Types.ObjectId): Promise<Batch | null> {
    return this.dispatchLoader.load({ _id: id, user });
  }

  private async acceptBatches(requests: readonly AcceptRequest[]): Promise<boolean[]> {
    const fields = valuePerDocument(
      requests,
      ({ batch }) => batch._id,
      ({ batch, plan, now }): Partial<Batch> => ({
        ...plan,
        acceptance: 'accepted',
        ...(!isBulk(batch) && { conversationsDueAt: now }),
        updatedAt: now,
      }),
    );
    const own = byOwnedIds(requests.map(({ batch }) => batch));
    const result = await writeManyWithRetry(() =>
      this.batches.collection.updateMany({ ...own, acceptance: 'accepting' }, [
        { $replaceWith: { $mergeObjects: ['$$ROOT', fields] } },
        { $unset: 'unsettledSince' },
      ]),
    );
    if (result.modifiedCount === requests.length) return requests.map(() => true);
    // Only this request accepts these batches, so those found accepted were accepted by this update.
    const accepted = await this.batches.find({ ...own, acceptance: 'accepted' }, { _id: 1 }).lean();
    const acceptedIds = new Set(accepted.map(({ _id }) => _id.toHexString()));
    return requests.map(({ batch }) => acceptedIds.has(batch._id.toHexString()));
  }

  private async loadForDispatch(keys: readonly OwnedId[]): Promise<Map<string, Batch>> {
    const found = await this.batches.find(byOwnedIds(keys)).lean<Batch[]>();
    return new Map(found.map((batch) => [keyOf(batch), batch]));
  }
}
