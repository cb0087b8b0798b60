import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Batch } from '../../messages/batch.schema';
import { BATCH_INDEX, DELETED_INDEX, LIST_INDEX, Message } from '../../messages/message.schema';
import { UNSETTLED_STATUSES } from '../../messages/message-status';

/** What to remove: what was created, or deleted by its owner, before a time. */
export interface Removal {
  readonly by: 'creation' | 'deletion';
  readonly before: Date;
  /** Only messages settled and uploaded before this time: until then, uploads and reports may be repeated. */
  readonly settledBefore: Date;
  /** Only messages whose redelivery has ended by this time. */
  readonly redeliveredBefore: Date;
  /** Only messages that are part of all totals: counted before this time of the database. */
  readonly countedBefore: Date;
}

type Ids = readonly Types.ObjectId[];

const PAGE_SIZE = 1_000;
const BATCHES_PER_PAGE = 100;

@Injectable()
export class MessageRetentionRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Lists up to 100 batches after another one, the oldest first. */
  listBatches({ user }: AccountScope, { by, before }: Removal, after?: Batch): Promise<Batch[]> {
    const field = by === 'creation' ? 'createdAt' : 'hiddenAt';
    const from = after?.[field] ?? new Date(0);
    return this.batches
      .find(
        {
          user,
          acceptance: 'accepted',
          cancellingSince: { $exists: false },
          // Outside the `$or`, because only there it limits the index scan.
          [field]: { $gte: from, $lt: before },
          ...(after && { $or: [{ [field]: { $gt: from } }, { _id: { $gt: after._id } }] }),
        },
        { [field]: 1 },
      )
      .sort({ [field]: 1, _id: 1 })
      .limit(BATCHES_PER_PAGE)
      .lean<Batch[]>();
  }

  /** Lists those of these batches of which no message must be kept. */
  listRemovable(account: AccountScope, batches: Ids, removal: Removal): Promise<Types.ObjectId[]> {
    return this.listWithout(account, batches, { $nor: [removable(removal)] });
  }

  /** Hides batches before their messages are removed, and frees their idempotency keys. */
  async hideBatches({ user }: AccountScope, ids: Ids, now: Date): Promise<void> {
    await this.batches.updateMany(
      { _id: { $in: ids }, user, hiddenAt: { $exists: false } },
      { $set: { hiddenAt: now }, $unset: { idempotencyKey: 1 } },
    );
  }

  async removeMessagesOf({ user }: AccountScope, batches: Ids, removal: Removal): Promise<void> {
    await this.remove({ smsBatch: { $in: batches }, user, ...removable(removal) }, BATCH_INDEX);
  }

  /** Removes those of these batches that have no message left. */
  async removeEmpty(account: AccountScope, batches: Ids): Promise<void> {
    const empty = await this.listWithout(account, batches, {});
    if (empty.length > 0) await this.batches.deleteMany({ _id: { $in: empty }, user: account.user });
  }

  async removeUnbatched({ user }: AccountScope, removal: Removal): Promise<void> {
    const { by, before } = removal;
    const condition = { user, smsBatch: { $exists: false }, ...removable(removal) };
    if (by === 'creation') await this.remove({ ...condition, createdAt: { $lt: before } }, LIST_INDEX);
    else await this.remove({ ...condition, deletedAt: { $lt: before } }, DELETED_INDEX);
  }

  /** Removes 1,000 at a time. The condition is checked again, because a report may change a message that was found. */
  private async remove(condition: QueryFilter<Message>, index: Record<string, 1 | -1>): Promise<void> {
    for (;;) {
      const found = await this.messages.find(condition, { _id: 1 }).limit(PAGE_SIZE).hint(index).lean();
      if (found.length === 0) return;
      await this.messages.deleteMany({ ...condition, _id: { $in: found.map(({ _id }) => _id) } });
    }
  }

  /** Lists those of these batches without such a message. */
  private async listWithout(
    { user }: AccountScope,
    batches: Ids,
    message: QueryFilter<Message>,
  ): Promise<Types.ObjectId[]> {
    const stages = [
      { $match: { user, smsBatch: { $in: batches }, ...message } },
      { $group: { _id: '$smsBatch' } },
    ];
    const found = await this.messages.aggregate<{ _id: Types.ObjectId }>(stages, { hint: BATCH_INDEX });
    return batches.filter((id) => !found.some(({ _id }) => _id.equals(id)));
  }
}

function removable({ settledBefore, redeliveredBefore, countedBefore }: Removal): QueryFilter<Message> {
  return {
    status: { $nin: [...UNSETTLED_STATUSES] },
    'outbox.0': { $exists: false },
    settledAt: { $not: { $gte: settledBefore } },
    originalCreatedAt: { $not: { $gte: settledBefore } },
    redeliverUntil: { $not: { $gt: redeliveredBefore } },
    countedAt: { $not: { $gte: countedBefore } },
    finalCountedAt: { $not: { $gte: countedBefore } },
  };
}
