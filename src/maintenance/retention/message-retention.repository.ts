import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Batch } from '../../messages/batch.schema';
import { BATCH_INDEX, DELETED_INDEX, LIST_INDEX, Message } from '../../messages/message.schema';
import { UNSETTLED_STATUSES } from '../../messages/message-status';

/** What may be removed. */
export interface RemovalLimits {
  /** Only messages settled and uploaded before this time: until then, uploads and reports may be repeated. */
  readonly settledBefore: Date;
  /** Only messages whose redelivery has ended by this time. */
  readonly redeliveredBefore: Date;
  /** Only messages that are part of all totals: counted before this time of the database. */
  readonly countedBefore: Date;
}

/** Where to look for what may be removed: among what was created, or what was deleted, before a time. */
export interface RemovalSearch {
  readonly by: 'creation' | 'deletion';
  readonly before: Date;
}

/** The place of a batch or message in the order of such a time and its id. */
export interface Position {
  readonly time: Date;
  readonly _id: Types.ObjectId;
}

const PAGE_SIZE = 1_000;
const EPOCH = new Date(0);
const BEGINNING: Position = { time: EPOCH, _id: new Types.ObjectId('000000000000000000000000') };

/** Finds and removes old messages and batches. */
@Injectable()
export class MessageRetentionRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Lists up to 1,000 batches after a position, the oldest first; none at the end. */
  async listBatches({ user }: AccountScope, search: RemovalSearch, after?: Position): Promise<Position[]> {
    const field = search.by === 'creation' ? 'createdAt' : 'hiddenAt';
    const found = await this.batches
      .find(
        {
          user,
          acceptance: 'accepted',
          cancellingSince: { $exists: false },
          ...comesAfter(field, search.before, after),
        },
        { [field]: 1 },
      )
      .sort({ [field]: 1, _id: 1 })
      .limit(PAGE_SIZE)
      .lean<Batch[]>();
    return found.map((batch) => ({ _id: batch._id, time: batch[field] ?? EPOCH }));
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
    for (;;) {
      const found = await this.messages.find(condition, { _id: 1 }).limit(PAGE_SIZE).lean<Message[]>();
      await this.remove(found, condition);
      if (found.length < PAGE_SIZE) break;
    }
    return (await this.messages.exists({ smsBatch: batch }).hint(BATCH_INDEX)) === null;
  }

  async removeBatch(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.batches.deleteOne({ _id: id, user: account.user });
  }

  /** Removes up to 1,000 messages without a batch after a position. @returns where to continue; undefined at the end. */
  async removeUnbatched(
    { user }: AccountScope,
    search: RemovalSearch,
    limits: RemovalLimits,
    after?: Position,
  ): Promise<Position | undefined> {
    const field = search.by === 'creation' ? 'createdAt' : 'deletedAt';
    const condition = { user, smsBatch: { $exists: false }, ...removable(limits) };
    const found = await this.messages
      .find({ ...condition, ...comesAfter(field, search.before, after) }, { [field]: 1 })
      .sort({ [field]: 1, _id: 1 })
      .limit(PAGE_SIZE)
      .hint(search.by === 'creation' ? LIST_INDEX : DELETED_INDEX)
      .lean<Message[]>();
    await this.remove(found, condition);
    const last = found.at(-1);
    return last && { _id: last._id, time: last[field] ?? EPOCH };
  }

  /** The condition is checked again at the removal, because a report may have changed a message meanwhile. */
  private async remove(
    found: readonly Pick<Message, '_id'>[],
    condition: QueryFilter<Message>,
  ): Promise<void> {
    if (found.length === 0) return;
    await this.messages.deleteMany({ ...condition, _id: { $in: found.map(({ _id }) => _id) } });
  }
}

/** The bound of the time is outside the `$or` because only there it limits the index scan. */
function comesAfter(field: 'createdAt' | 'hiddenAt' | 'deletedAt', before: Date, after = BEGINNING) {
  const { time, _id } = after;
  return {
    [field]: { $gte: time, $lt: before },
    $or: [{ [field]: { $gt: time } }, { _id: { $gt: _id } }],
  };
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
