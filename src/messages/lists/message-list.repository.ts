import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { type LargeDocument, projectLargeDocuments } from '../../infrastructure/mongo/large-documents';
import { Batch, VISIBLE_BATCH } from '../batch.schema';
import { BOUNDED_MESSAGE } from '../bounded-message';
import { messageCondition } from './message-condition';
import type { Order } from './message-cursor';
import type { ListStart, MessageFilter } from './message-query';
import { SEARCH_TIMEOUT_MS, withSearchTimeout } from './search-timeout';
import { BATCH_INDEX, PEER_INDEX, DELETED_INDEX, Message } from '../message.schema';
import { INTERNAL_FIELDS, type ShownMessage } from '../shown-message';

const EPOCH = new Date(0);

const LISTED_FIELDS = ['createdAt', 'device'] as const;

export type ListedMessage = ShownMessage | LargeDocument<Message, (typeof LISTED_FIELDS)[number]>;

/** Reads messages across all devices of an account. */
@Injectable()
export class MessageListRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /**
   * Lists up to `count` messages from `start`, by creation time.
   * @param place.pageSize messages per page, to compute the offset of a page number.
   * @throws SearchTooSlow
   */
  list(
    account: AccountScope,
    filter: MessageFilter,
    place: { start: ListStart; order: Order; pageSize: number },
    count: number,
  ): Promise<ListedMessage[]> {
    const { start, order, pageSize } = place;
    const after = 'after' in start ? { position: start.after, order } : undefined;
    const skip = 'page' in start ? (start.page - 1) * pageSize : 0;
    const direction = order === 'asc' ? 1 : -1;
    return withSearchTimeout(() =>
      this.messages
        .aggregate<ListedMessage>([
          { $match: { ...messageCondition(account, filter, after), deletedAt: { $exists: false } } },
          { $sort: { createdAt: direction, _id: direction } },
          ...(skip > 0 ? [{ $skip: skip }] : []),
          { $limit: count },
          projectLargeDocuments(LISTED_FIELDS),
          { $unset: [...INTERNAL_FIELDS] },
        ])
        .option(queryOptions(filter))
        .exec(),
    );
  }

  /** Reads messages that were listed as large, in no particular order. */
  readLarge(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<ShownMessage[]> {
    return this.messages.aggregate<ShownMessage>([
      { $match: { _id: { $in: [...ids] }, user: account.user } },
      BOUNDED_MESSAGE,
    ]);
  }

  /** @throws SearchTooSlow */
  count(account: AccountScope, filter: MessageFilter): Promise<number> {
    const condition = messageCondition(account, filter);
    return withSearchTimeout(async () => {
      // Subtracted, because a condition on deletedAt would read every message instead of the index.
      const [all, deleted] = await Promise.all([
        this.messages.countDocuments(condition, queryOptions(filter)),
        this.messages.countDocuments({ ...condition, deletedAt: { $gt: EPOCH } }, { hint: DELETED_INDEX }),
      ]);
      return all - deleted;
    });
  }

  /** Whether the account has an accepted batch with this id. */
  async hasBatch(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    return (await this.batches.exists({ _id: id, user: account.user, ...VISIBLE_BATCH })) !== null;
  }
}

function queryOptions(filter: MessageFilter) {
  const hint = indexHint(filter);
  return { ...(filter.search !== undefined && { maxTimeMS: SEARCH_TIMEOUT_MS }), ...(hint && { hint }) };
}

/** A batch or a number has few messages: sorting them is faster than scanning the account in list order. */
function indexHint({ smsBatch, recipient, sender, peerNumber }: MessageFilter) {
  if (smsBatch) return BATCH_INDEX;
  return (peerNumber ?? recipient ?? sender) && PEER_INDEX;
}
