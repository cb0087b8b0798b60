import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Batch } from '../../messages/batch.schema';
import { BATCH_INDEX, Message } from '../../messages/message.schema';
import { UNSETTLED_STATUSES } from '../../messages/message-status';

/** What may be removed. */
export interface RemovalLimits {
  /** Only messages created before this time, and messages that were deleted; absent if the others are kept forever. */
  readonly createdBefore?: Date;
  /** Only messages settled, uploaded or deleted before this time: until then, uploads and reports may be repeated. */
  readonly settledBefore: Date;
  /** Only messages whose redelivery has ended by this time. */
  readonly redeliveredBefore: Date;
  /** Only messages that are part of all totals: counted before this time of the database. */
  readonly countedBefore: Date;
}

const BATCH_SIZE = 1_000;
const EPOCH = new Date(0);

/** Finds and removes old messages and batches. */
@Injectable()
export class MessageRetentionRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Old and deleted batches, the oldest first. */
  async listBatches(account: AccountScope, limits: RemovalLimits): Promise<Types.ObjectId[]> {
    const accepted = {
      user: account.user,
      acceptance: 'accepted',
      cancellingSince: { $exists: false },
    } as const;
    const old = limits.createdBefore
      ? await this.batches
          .find({ ...accepted, createdAt: { $lt: limits.createdBefore } }, { _id: 1 })
          .sort({ createdAt: 1 })
          .limit(BATCH_SIZE)
          .lean()
      : [];
    const deleted = await this.batches
      .find({ ...accepted, hiddenAt: { $gte: EPOCH, $lt: limits.settledBefore } }, { _id: 1 })
      .limit(BATCH_SIZE)
      .lean();
    return [...old, ...deleted].map(({ _id }) => _id);
  }

  /** Whether a message of the batch must be kept. */
  async mustKeep(batch: Types.ObjectId, limits: RemovalLimits): Promise<boolean> {
    return (await this.messages.exists({ smsBatch: batch, $nor: [removable(limits)] })) !== null;
  }

  /** Hides a batch before its messages are removed, and frees its idempotency key. */
  async hideBatch(account: AccountScope, id: Types.ObjectId, now: Date): Promise<void> {
    await this.batches.updateOne(
      { _id: id, user: account.user, hiddenAt: { $exists: false } },
      { $set: { hiddenAt: now }, $unset: { idempotencyKey: 1 } },
    );
  }

  /** Removes the messages of a batch, 1,000 at a time. @returns false if some must be kept. */
  async removeMessagesOf(
    account: AccountScope,
    batch: Types.ObjectId,
    limits: RemovalLimits,
  ): Promise<boolean> {
    const condition = { smsBatch: batch, user: account.user, ...removable(limits) };
    while ((await this.remove(condition)) === BATCH_SIZE);
    return (await this.messages.exists({ smsBatch: batch }).hint(BATCH_INDEX)) === null;
  }

  async removeBatch(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.batches.deleteOne({ _id: id, user: account.user });
  }

  /** Removes up to 1,000 messages without a batch. @returns how many were found. */
  async removeUnbatched(account: AccountScope, limits: RemovalLimits): Promise<number> {
    const unbatched = { user: account.user, smsBatch: { $exists: false }, ...removable(limits) };
    const { createdBefore, settledBefore } = limits;
    const old = createdBefore ? await this.remove({ ...unbatched, createdAt: { $lt: createdBefore } }) : 0;
    const deleted = await this.remove({ ...unbatched, deletedAt: { $gte: EPOCH, $lt: settledBefore } });
    return Math.max(old, deleted);
  }

  /** The condition is checked again at the removal, because a report may have changed a message meanwhile. */
  private async remove(condition: QueryFilter<Message>): Promise<number> {
    const found = await this.messages.find(condition, { _id: 1 }).limit(BATCH_SIZE).lean();
    const _id = { $in: found.map((message) => message._id) };
    if (found.length > 0) await this.messages.deleteMany({ ...condition, _id });
    return found.length;
  }
}

function removable({ settledBefore, redeliveredBefore, countedBefore }: RemovalLimits): QueryFilter<Message> {
  return {
    status: { $nin: [...UNSETTLED_STATUSES] },
    'outbox.0': { $exists: false },
    settledAt: { $not: { $gte: settledBefore } },
    originalCreatedAt: { $not: { $gte: settledBefore } },
    offerUntil: { $not: { $gt: redeliveredBefore } },
    countedAt: { $not: { $gte: countedBefore } },
    finalCountedAt: { $not: { $gte: countedBefore } },
  };
}
