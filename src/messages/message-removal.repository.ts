import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch, RemovedProgress } from './batch.schema';
import { BATCH_INDEX, Message } from './message.schema';
import { UNSETTLED } from './message-status';

const TALLIED = {
  device: 1,
  direction: 1,
  countedAt: 1,
  smsBatch: 1,
  status: 1,
  settledAt: 1,
  failedAt: 1,
  errorCode: 1,
  errorMessage: 1,
  updatedAt: 1,
} as const;

/** What of a message is added to the stored bases before it goes. */
export type RemovedMessage = Pick<Message, '_id' | keyof typeof TALLIED>;

const COUNTED = { recipientCount: 1, cancelledCount: 1, chargedDays: 1, createdAt: 1, removed: 1 } as const;

export type RemovedBatch = Pick<Batch, '_id' | keyof typeof COUNTED>;

export interface Age {
  /** Messages created before go. */
  readonly createdBefore: Date;
  /** But none that was settled, or uploaded, after this: who follows a message must see how it ends. */
  readonly settledBefore: Date;
  /** Nor one that the phone may still be offered after this. */
  readonly offeredUntil: Date;
}

/** Whatever is still to come of a message is in its outbox, or it would not be settled. */
const IS_DONE = { status: { $nin: [...UNSETTLED] }, 'outbox.0': { $exists: false } };

/** Takes messages off the record. */
@Injectable()
export class MessageRemovalRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Old messages of an account that are done with, the oldest first, from `from` on. */
  listRemovable(
    account: AccountScope,
    { createdBefore, settledBefore, offeredUntil }: Age,
    from: Date,
    limit: number,
  ): Promise<Pick<Message, '_id' | 'createdAt'>[]> {
    return this.messages
      .find(
        {
          user: account.user,
          createdAt: { $gte: from, $lt: createdBefore },
          ...IS_DONE,
          settledAt: { $not: { $gte: settledBefore } },
          offerUntil: { $not: { $gt: offeredUntil } },
          originalCreatedAt: { $not: { $gte: settledBefore } },
        },
        { createdAt: 1 },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .lean<Pick<Message, '_id' | 'createdAt'>[]>();
  }

  /**
   * Marks those of these messages that are still done with: from here on no report reaches them. A mark of an earlier
   * chunk was left by somebody who came too late to it.
   * @returns all that carry the mark.
   */
  async mark(
    account: AccountScope,
    ids: readonly Types.ObjectId[],
    chunk: Types.ObjectId,
  ): Promise<RemovedMessage[]> {
    const { user } = account;
    await this.messages.updateMany(
      { _id: { $in: ids }, user, ...IS_DONE, removal: { $not: { $gt: chunk } } },
      { $set: { removal: chunk } },
    );
    return this.messages.find({ _id: { $in: ids }, user, removal: chunk }, TALLIED).lean<RemovedMessage[]>();
  }

  /** How many messages these batches have, by batch. */
  async countOfBatches(
    account: AccountScope,
    batches: readonly Types.ObjectId[],
  ): Promise<Map<string, number>> {
    const found = await this.messages.aggregate<{ _id: Types.ObjectId; count: number }>(
      [
        { $match: { smsBatch: { $in: batches }, user: account.user } },
        { $group: { _id: '$smsBatch', count: { $sum: 1 } } },
      ],
      // The batches are few against what the account may have.
      { hint: BATCH_INDEX },
    );
    return new Map(found.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  findBatches(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<RemovedBatch[]> {
    return this.batches.find({ _id: { $in: ids }, user: account.user }, COUNTED).lean<RemovedBatch[]>();
  }

  /** Adds messages that are being removed to their batches' progress: once, after the chunk before. */
  async setProgress(
    account: AccountScope,
    changes: readonly { id: Types.ObjectId; before?: Types.ObjectId; removed: RemovedProgress }[],
  ): Promise<void> {
    if (changes.length === 0) return;
    await this.batches.bulkWrite(
      changes.map(({ id, before, removed }) => ({
        updateOne: {
          filter: { _id: id, user: account.user, 'removed.chunk': before ?? { $exists: false } },
          update: { $set: { removed } },
        },
      })),
      { ordered: false },
    );
  }

  async removeBatches(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<void> {
    await this.batches.deleteMany({ _id: { $in: ids }, user: account.user });
  }

  /** Removes what of these messages carries the chunk's mark. */
  async remove(account: AccountScope, ids: readonly Types.ObjectId[], chunk: Types.ObjectId): Promise<void> {
    await this.messages.deleteMany({ _id: { $in: ids }, user: account.user, removal: chunk });
  }
}
