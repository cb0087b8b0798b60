import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { Country } from '../../common/peer-number';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { byOwnedIds, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { insertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import type { Position } from '../lists/message-cursor';
import { searchPatterns } from '../lists/message-search';
import { SEARCH_TIMEOUT_MS, withSearchTimeout } from '../lists/search-timeout';
import { Conversation } from './conversation.schema';
import {
  mergeHeads,
  readThrough,
  replaceHead,
  type ConversationChange,
  type ConversationHead,
  conversationKey,
} from './conversation-update';

export interface ConversationFilter {
  readonly search?: string;
  /** Where a number in `search` may have been dialled without a country code. */
  readonly countries?: readonly Country[];
  /** Those of contacts that match `search`. */
  readonly numbers?: readonly string[];
  /** Only those with unread messages. */
  readonly unread?: boolean;
  /** Only those whose newest message is a received one. */
  readonly unanswered?: boolean;
  readonly devices?: readonly Types.ObjectId[];
}

@Injectable()
export class ConversationsRepository {
  constructor(@InjectModel(Conversation.name) private readonly conversations: Model<Conversation>) {}

  find({ user }: AccountScope, number: string): Promise<Conversation | null> {
    return this.conversations.findOne({ user, number }).lean<Conversation>();
  }

  /** Reads conversations again; those that are gone are absent. */
  findMany({ user }: AccountScope, known: readonly Pick<Conversation, '_id'>[]): Promise<Conversation[]> {
    return this.conversations
      .find({ _id: { $in: known.map(({ _id }) => _id) }, user })
      .lean<Conversation[]>();
  }

  /** Lists conversations by their newest message, newest first. @throws SearchTooSlow */
  list(
    { user }: AccountScope,
    { search, countries, numbers, unread, unanswered, devices }: ConversationFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<Conversation[]> {
    const condition: QueryFilter<Conversation> = {
      user,
      ...(unread && { unread: { $exists: true, $eq: true } }),
      ...(unanswered && { unanswered: { $exists: true, $eq: true } }),
      ...(devices && { device: { $in: devices } }),
      // The bound of the time is outside the `$or` because only there it limits the index scan.
      ...(after && { lastMessageAt: { $lte: after.createdAt } }),
      $and: [
        ...(after
          ? [{ $or: [{ lastMessageAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }] }]
          : []),
        ...(search === undefined ? [] : [matches(search, countries, numbers)]),
      ],
    };
    if (condition.$and?.length === 0) delete condition.$and;
    return withSearchTimeout(() =>
      this.conversations
        .find(condition)
        .sort({ lastMessageAt: -1, _id: -1 })
        .limit(limit)
        .setOptions({ ...(search !== undefined && { maxTimeMS: SEARCH_TIMEOUT_MS }) })
        .lean<Conversation[]>(),
    );
  }

  /**
   * Adds messages to conversations of any accounts, and creates those that are missing. Repeatable, in any order.
   * @param changes each once, at least one.
   * @param createdDueAt when the created ones are due to be refreshed.
   * @returns the created ones.
   */
  async merge(
    changes: readonly ConversationChange[],
    { now, createdDueAt, maxTimeMs }: { now: Date; createdDueAt: Date; maxTimeMs: number },
  ): Promise<Conversation[]> {
    const missing = new Map(changes.map((change) => [conversationKey(change), change]));
    const known = (await this.findIds(changes)).flatMap(({ _id, user, number }) => {
      const key = conversationKey({ user, number });
      const change = missing.get(key);
      missing.delete(key);
      return change ? [{ _id, user, change }] : [];
    });
    const added = [...missing.values()].map((change) => ({
      change,
      conversation: newConversation(change, now, createdDueAt),
    }));
    const errors =
      added.length > 0
        ? await insertManyUnordered(
            this.conversations,
            added.map(({ conversation }) => conversation),
          )
        : [];
    const areAllKnown = known.length === 0 || (await this.mergeKnown(known, now, maxTimeMs));
    for (const error of errors) if (error && !isDuplicateKey(error)) throw error;
    const created = added.filter((_, index) => !errors[index]).map(({ conversation }) => conversation);
    // Others have created or removed them meanwhile.
    const raced = added.filter((_, index) => errors[index]);
    const again = [...raced, ...(areAllKnown ? [] : known)].map(({ change }) => change);
    if (again.length > 0) created.push(...(await this.merge(again, { now, createdDueAt, maxTimeMs })));
    return created;
  }

  /** @returns false if some are gone. */
  private async mergeKnown(
    known: readonly (OwnedId & { readonly change: ConversationChange })[],
    now: Date,
    maxTimeMS: number,
  ): Promise<boolean> {
    const heads = known.map(({ _id, change: { head } }) => ({ _id, head }));
    const { matchedCount } = await this.conversations.updateMany(byOwnedIds(known), mergeHeads(heads, now), {
      updatePipeline: true,
      maxTimeMS,
      timestamps: false,
    });
    return matchedCount === known.length;
  }

  private findIds(
    changes: readonly ConversationChange[],
  ): Promise<Pick<Conversation, '_id' | 'user' | 'number'>[]> {
    const byAccount = groupBy(changes, ({ user }) => user.toHexString());
    return this.conversations
      .find(
        {
          $or: [...byAccount].map(([user, ofAccount]) => ({
            user: new Types.ObjectId(user),
            number: { $in: ofAccount.map(({ number }) => number) },
          })),
        },
        { user: 1, number: 1 },
      )
      .lean<Conversation[]>();
  }

  /**
   * Replaces the head of a conversation by what was read of its messages after `before` was read.
   * @param head undefined if it has no messages: it is removed.
   * @returns false if it has changed since.
   */
  async replace(
    { user }: AccountScope,
    number: string,
    before: Conversation | null,
    head: ConversationHead | undefined,
    now: Date,
  ): Promise<boolean> {
    if (!before) {
      if (!head) return true;
      const [error] = await insertManyUnordered(this.conversations, [
        newConversation({ user, number, head }, now),
      ]);
      if (error && !isDuplicateKey(error)) throw error;
      return !error;
    }
    const same = { _id: before._id, user, version: before.version };
    if (!head) return (await this.conversations.deleteOne(same)).deletedCount === 1;
    const result = await this.conversations.updateOne(same, replaceHead(head, now), {
      updatePipeline: true,
      timestamps: false,
    });
    return result.matchedCount === 1;
  }

  /** @returns the conversation, or null if there is none with this number. */
  markRead(
    { user }: AccountScope,
    number: string,
    through: { readonly id: Types.ObjectId; readonly storedAt: Date },
    now: Date,
  ): Promise<Conversation | null> {
    return this.conversations
      .findOneAndUpdate({ user, number }, readThrough(through.id, through.storedAt, now), {
        updatePipeline: true,
        returnDocument: 'after',
        timestamps: false,
      })
      .lean<Conversation>();
  }

  /** @param note empty to remove it. @returns the conversation, or null if there is none with this number. */
  setNote({ user }: AccountScope, number: string, note: string, now: Date): Promise<Conversation | null> {
    return this.conversations
      .findOneAndUpdate(
        { user, number },
        note === '' ? { $unset: { note: 1 }, $set: { updatedAt: now } } : { $set: { note, updatedAt: now } },
        { returnDocument: 'after' },
      )
      .lean<Conversation>();
  }

  /** Removes a note, unless it has changed. */
  async removeNote({ user }: AccountScope, number: string, note: string, now: Date): Promise<void> {
    await this.conversations.updateOne(
      { user, number, note },
      { $unset: { note: 1 }, $set: { updatedAt: now } },
    );
  }

  /** Makes conversations due to be refreshed. */
  async markDue({ user }: AccountScope, numbers: readonly string[], at: Date): Promise<void> {
    if (numbers.length === 0) return;
    await this.conversations.updateMany({ user, number: { $in: numbers } }, { $set: { refreshDueAt: at } });
  }

  /** Claims conversations of all accounts that are due to be refreshed; they are due again at `retryAt`. */
  async claimDue(
    now: Date,
    retryAt: Date,
    limit: number,
  ): Promise<Pick<Conversation, '_id' | 'user' | 'number'>[]> {
    const due = await this.conversations
      .find({ refreshDueAt: atOrBefore(now) }, { user: 1, number: 1 })
      .sort({ refreshDueAt: 1 })
      .limit(limit)
      .lean<Conversation[]>();
    if (due.length > 0)
      await this.conversations.updateMany(
        { ...byOwnedIds(due), refreshDueAt: atOrBefore(now) },
        { $set: { refreshDueAt: retryAt } },
      );
    return due;
  }

  /** Records that conversations need no refresh at `retryAt`, except those that are due at another time. */
  async finishDue(refreshed: readonly OwnedId[], retryAt: Date): Promise<void> {
    if (refreshed.length === 0) return;
    await this.conversations.updateMany(
      { ...byOwnedIds(refreshed), refreshDueAt: retryAt },
      { $unset: { refreshDueAt: 1 } },
    );
  }

  /** Lists conversations whose newest message was created before a time, newest first. */
  listBefore(account: AccountScope, before: Position, limit: number): Promise<Conversation[]> {
    return this.list(account, {}, before, limit);
  }

  /** Lists conversations whose newest message is of one of the devices. */
  listOfDevices(
    { user }: AccountScope,
    devices: readonly Types.ObjectId[],
    limit: number,
  ): Promise<Conversation[]> {
    return this.conversations
      .find({ user, device: { $in: devices } })
      .limit(limit)
      .lean<Conversation[]>();
  }
}

/** The number and the note, as in the message list, and the name of a contact. */
function matches(
  search: string,
  countries: readonly Country[] = [],
  numbers: readonly string[] = [],
): QueryFilter<Conversation> {
  const { text, number, peer } = searchPatterns(search, countries);
  const pattern = peer === undefined ? number : `${number}|${peer}`;
  return {
    $or: [
      { number: { $regex: pattern, $options: 'i' } },
      { note: { $regex: text, $options: 'i' } },
      ...(numbers.length > 0 ? [{ number: { $in: [...numbers] } }] : []),
    ],
  };
}

function newConversation(
  { user, number, head }: ConversationChange,
  now: Date,
  refreshDueAt?: Date,
): Conversation {
  return {
    _id: new Types.ObjectId(),
    user,
    number,
    ...head,
    ...(head.lastReceived && { unread: true }),
    ...(refreshDueAt && { refreshDueAt }),
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
