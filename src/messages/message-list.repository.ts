import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, mongo, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch } from './batch.schema';
import { BOUNDED_MESSAGE } from './bounded-message';
import { messageCondition } from './message-condition';
import type { Order } from './message-cursor';
import { SearchTooSlow } from './message-list.errors';
import type { ListStart, MessageFilter } from './message-query';
import { BATCH_INDEX, Message, RECIPIENT_INDEX, SENDER_INDEX } from './message.schema';

const SEARCH_LIMIT_MS = 2_000;
const MAX_TIME_EXPIRED = 50;

/** A page of larger messages would be too much to hold: they are listed by their place, and read when they are written. */
const MAX_LISTED_BYTES = 8 * 1024;
const IS_SMALL = { $lte: [{ $bsonSize: '$$ROOT' }, MAX_LISTED_BYTES] };
const LARGE = { _id: '$_id', createdAt: '$createdAt', device: '$device', isLarge: true };

export type LargeMessage = Pick<Message, '_id' | 'createdAt' | 'device'> & { readonly isLarge: true };
export type ListedMessage = Message | LargeMessage;

/** The account-wide reads of messages. */
@Injectable()
export class MessageListRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /**
   * The first `count` messages from `start` on, in order of creation.
   * @param place.pageSize messages on a page, where `start` is one.
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
    return searching(() =>
      this.messages
        .aggregate<ListedMessage>([
          { $match: messageCondition(account, filter, after) },
          { $sort: { createdAt: direction, _id: direction } },
          ...(skip > 0 ? [{ $skip: skip }] : []),
          { $limit: count },
          { $replaceWith: { $cond: [IS_SMALL, '$$ROOT', LARGE] } },
        ])
        .option(optionsFor(filter))
        .exec(),
    );
  }

  /** Messages that were listed as large, in no order. */
  readLarge(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Message[]> {
    return this.messages.aggregate<Message>([
      { $match: { _id: { $in: [...ids] }, user: account.user } },
      BOUNDED_MESSAGE,
    ]);
  }

  /** @throws SearchTooSlow */
  count(account: AccountScope, filter: MessageFilter): Promise<number> {
    return searching(() =>
      this.messages.countDocuments(messageCondition(account, filter), optionsFor(filter)),
    );
  }

  /** Whether the account has this batch, and accepted it. */
  async hasBatch(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const found = await this.batches.exists({ _id: id, user: account.user, acceptance: 'accepted' });
    return found !== null;
  }
}

function optionsFor(filter: MessageFilter) {
  const hint = hintOf(filter);
  return { ...(filter.search !== undefined && { maxTimeMS: SEARCH_LIMIT_MS }), ...(hint && { hint }) };
}

/** A batch has at most 10,000 messages, and few go to one number: sorting those beats looking through all of an account. */
function hintOf({ smsBatch, recipient, sender }: MessageFilter) {
  if (smsBatch) return BATCH_INDEX;
  if (recipient) return RECIPIENT_INDEX;
  return sender && SENDER_INDEX;
}

async function searching<Result>(read: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await read();
  } catch (failure) {
    if (failure instanceof mongo.MongoServerError && failure.code === MAX_TIME_EXPIRED) {
      throw new SearchTooSlow(SEARCH_LIMIT_MS);
    }
    throw failure;
  }
}
