import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch, RemovedProgress } from './batch.schema';
import { BATCH_INDEX, Message } from './message.schema';
import { UNSETTLED_STATUSES } from './message-status';

const REMOVED_MESSAGE_FIELDS = {
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

export type RemovedMessage = Pick<Message, '_id' | keyof typeof REMOVED_MESSAGE_FIELDS>;

const REMOVED_BATCH_FIELDS = {
  recipientCount: 1,
  cancelledCount: 1,
  chargedDays: 1,
  createdAt: 1,
  removed: 1,
} as const;

export type RemovedBatch = Pick<Batch, '_id' | keyof typeof REMOVED_BATCH_FIELDS>;

export interface Age {
  /** Only messages created before this time are removed. */
  readonly createdBefore: Date;
  /** Messages settled or uploaded at or after this time are kept, so that clients can read the result. */
  readonly settledBefore: Date;
  /** Messages that may be redelivered after this time are kept. */
  readonly offeredUntil: Date;
}

const SETTLED_AND_RELAYED = { status: { $nin: [...UNSETTLED_STATUSES] }, 'outbox.0': { $exists: false } };

/** Removes old messages and batches. */
@Injectable()
export class MessageRemovalRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Lists removable messages of an account created at `from` or later, oldest first. */
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
          ...SETTLED_AND_RELAYED,
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
   * Marks messages for removal, so that reports no longer change them. A mark of an earlier chunk is
   * stale and is replaced.
   * @returns the messages that carry this mark.
   */
  async mark(
    account: AccountScope,
    ids: readonly Types.ObjectId[],
    chunk: Types.ObjectId,
  ): Promise<RemovedMessage[]> {
    const { user } = account;
    await this.messages.updateMany(
      { _id: { $in: ids }, user, ...SETTLED_AND_RELAYED, removal: { $not: { $gt: chunk } } },
      { $set: { removal: chunk } },
    );
    return this.messages
      .find({ _id: { $in: ids }, user, removal: chunk }, REMOVED_MESSAGE_FIELDS)
      .lean<RemovedMessage[]>();
  }

  /** Counts messages by batch id. */
  async countOfBatches(
    account: AccountScope,
    batches: readonly Types.ObjectId[],
  ): Promise<Map<string, number>> {
    const found = await this.messages.aggregate<{ _id: Types.ObjectId; count: number }>(
      [
        { $match: { smsBatch: { $in: batches }, user: account.user } },
        { $group: { _id: '$smsBatch', count: { $sum: 1 } } },
      ],
      { hint: BATCH_INDEX },
    );
    return new Map(found.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  findBatches(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<RemovedBatch[]> {
    return this.batches
      .find({ _id: { $in: ids }, user: account.user }, REMOVED_BATCH_FIELDS)
      .lean<RemovedBatch[]>();
  }

  /** Stores the totals of removed messages on their batches; a no-op if the chunk `before` is not the last stored. */
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

  /** Removes those of these messages that are marked with the chunk. */
  async remove(account: AccountScope, ids: readonly Types.ObjectId[], chunk: Types.ObjectId): Promise<void> {
    await this.messages.deleteMany({ _id: { $in: ids }, user: account.user, removal: chunk });
  }
}
