import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { reached } from '../common/persistence/reached';
import { BOUNDED_MESSAGE, entryStatus, shortText } from './bounded-message';
import { OutboxEntry, raisedKey } from './message-event';
import { Message } from './message.schema';

/** Attempts that are made together with other messages; from the next one on a message is relayed alone. */
export const MAX_SHARED_ATTEMPTS = 2;

/** Larger messages are relayed alone from the start. */
const MAX_SHARED_MESSAGE_BYTES = 32 * 1024;

/** Messages of one take, together, unless the first alone is larger. */
const MAX_TAKE_BYTES = 1024 * 1024;

/** What was relayed of a message's outbox. */
export interface RelayedEntries {
  readonly message: Types.ObjectId;
  readonly entries: readonly OutboxEntry[];
}

/** Where a take begins: at messages due at `from` or later, `known` of which are relayed alone. */
export interface TakePosition {
  readonly from: Date;
  readonly known: number;
}

export interface TakenMessages {
  /** To be relayed together. */
  readonly messages: readonly Message[];
  /** Due as well, but each to be relayed alone: nothing was changed about them. */
  readonly alone: readonly Types.ObjectId[];
  /** Where the next take goes on. */
  readonly position?: TakePosition;
  /** Whether nothing was due after these. */
  readonly isLast: boolean;
}

/** How an attempt on one message alone began. */
export interface LoneClaim {
  /** Attempts on it so far, this one included. */
  readonly attempts: number;
  readonly isSetAside: boolean;
}

type FoundMessage = Message & { readonly relayDueAt: Date; readonly bytes: number };
type FoundAlone = Pick<FoundMessage, '_id' | 'relayDueAt'> & { readonly isAlone: true };

/**
 * The events that wait in messages for the webhooks. It goes past Mongoose, straight to the driver: a document that is
 * not as the schema says must be relayed, or set aside, and not fail the query that finds it among others.
 */
@Injectable()
export class OutboxRepository {
  constructor(@InjectModel(Message.name) private readonly model: Model<Message>) {}

  private get messages(): Model<Message>['collection'] {
    return this.model.collection;
  }

  /**
   * Takes messages with waiting events, oldest first, at most `limit` and 1 MB of them, and counts the attempt: until
   * `retryAt` nobody else is given them. Should the process die, they are there again.
   * Two processes that take at the same moment can get the same messages; relaying twice creates nothing.
   */
  async take(now: Date, retryAt: Date, limit: number, position?: TakePosition): Promise<TakenMessages> {
    const count = limit + (position?.known ?? 0);
    const found = await this.messages
      .aggregate<FoundMessage | FoundAlone>([
        { $match: { relayDueAt: { ...reached(now), ...(position && { $gte: position.from }) } } },
        { $sort: { relayDueAt: 1 } },
        { $limit: count },
        { $set: { bytes: { $bsonSize: '$$ROOT' } } },
        {
          $replaceWith: {
            $cond: [IS_SHARED, '$$ROOT', { _id: '$_id', relayDueAt: '$relayDueAt', isAlone: true }],
          },
        },
      ])
      .toArray();
    const { messages, alone, last, isWhole } = withinBytes(found);
    if (messages.length > 0) {
      await this.messages.updateMany(
        { _id: { $in: messages.map(({ _id }) => _id) }, relayDueAt: reached(now) },
        { $set: { relayDueAt: retryAt }, $inc: { relayAttempts: 1 } },
      );
    }
    const known = alone.filter(({ relayDueAt }) => relayDueAt.getTime() === last?.getTime()).length;
    return {
      messages,
      alone: alone.map(({ _id }) => _id),
      position: last ? { from: last, known } : position,
      isLast: isWhole && found.length < count,
    };
  }

  /** Messages that are to be relayed alone now, those due longest first. */
  async listLone(now: Date, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ relayAloneAt: reached(now) }, { projection: { _id: 1 } })
      .sort({ relayAloneAt: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /**
   * Begins an attempt on one message alone, and counts it. Should the process die, the next one is due at `retryAt`, or
   * at `setAsideUntil` for a message that is set aside.
   * @returns null when the message is not due any more.
   */
  async claimLone(
    id: Types.ObjectId,
    now: Date,
    retryAt: Date,
    setAsideUntil: Date,
  ): Promise<LoneClaim | null> {
    const claimed = await this.messages.findOneAndUpdate(
      { _id: id, $or: [{ relayDueAt: reached(now) }, { relayAloneAt: reached(now) }] },
      [
        {
          $set: {
            relayAttempts: { $add: [{ $ifNull: ['$relayAttempts', 0] }, 1] },
            relayAloneAt: {
              $cond: [{ $eq: [{ $type: '$relaySetAsideAt' }, 'missing'] }, retryAt, setAsideUntil],
            },
          },
        },
        { $unset: 'relayDueAt' },
      ],
      { returnDocument: 'after', projection: { relayAttempts: 1, relaySetAsideAt: 1 } },
    );
    if (!claimed) return null;
    return { attempts: Number(claimed.relayAttempts), isSetAside: claimed.relaySetAsideAt !== undefined };
  }

  /** Reads a message to relay it, within bounds. */
  async read(id: Types.ObjectId): Promise<Message | undefined> {
    const [message] = await this.messages
      .aggregate<Message>([{ $match: { _id: id } }, BOUNDED_MESSAGE])
      .toArray();
    return message;
  }

  /** Makes the next attempt on a message alone due. @param isCounted false gives back the attempt that was begun. */
  async retryLone(id: Types.ObjectId, at: Date, isCounted: boolean): Promise<void> {
    await this.messages.updateOne(
      { _id: id, relayAloneAt: { $exists: true } },
      { $set: { relayAloneAt: at }, ...(!isCounted && { $inc: { relayAttempts: -1 } }) },
    );
  }

  /** Sets a message aside: it is tried again at `until`, and holds up nothing. */
  async setAside(id: Types.ObjectId, now: Date, until: Date): Promise<void> {
    await this.messages.updateOne(
      { _id: id, relayAloneAt: { $exists: true } },
      { $set: { relaySetAsideAt: now, relayAloneAt: until } },
    );
  }

  /** Makes messages that are set aside due at once. @returns how many. */
  async retrySetAside(now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { relaySetAsideAt: reached(now) },
      { $set: { relayAloneAt: now } },
    );
    return result.matchedCount;
  }

  /** How many messages are set aside; at most `limit`. */
  countSetAside(now: Date, limit: number): Promise<number> {
    return this.messages.countDocuments({ relaySetAsideAt: reached(now) }, { limit });
  }

  /** Removes exactly these entries; what was raised meanwhile waits on. The attempts on these messages are forgotten. */
  async remove(relayed: readonly RelayedEntries[], now: Date): Promise<void> {
    for (const { entries, ids } of groupByEntries(relayed)) {
      await this.messages.updateMany({ _id: { $in: ids } }, [
        withoutEntries(entries),
        isDone(now),
        { $unset: RELAY_FIELDS },
      ]);
    }
  }

  /** Removes exactly these entries of messages that have others left, which could not be relayed. */
  async removeSome(relayed: readonly RelayedEntries[]): Promise<void> {
    for (const { entries, ids } of groupByEntries(relayed)) {
      await this.messages.updateMany({ _id: { $in: ids } }, [withoutEntries(entries)]);
    }
  }

  /** Since when the event has waited that waits longest; undefined when none does. */
  async oldest(now: Date): Promise<Date | undefined> {
    const [shared] = await this.messages
      .find({ relayDueAt: reached(now) }, { projection: { relayDueAt: 1 } })
      .sort({ relayDueAt: 1 })
      .limit(1)
      .toArray();
    const [lone] = await this.messages
      .find({ relayAloneAt: reached(now) }, { projection: { relayAloneAt: 1 } })
      .sort({ relayAloneAt: 1 })
      .limit(1)
      .toArray();
    const times = [shared?.relayDueAt, lone?.relayAloneAt].filter((time) => time instanceof Date);
    return times.sort((one, other) => one.getTime() - other.getTime())[0];
  }

  /** Whether an event has been waiting since before `since`. */
  async isOverdue(since: Date): Promise<boolean> {
    const exists = async (condition: object) =>
      (await this.messages.findOne(condition, { projection: { _id: 1 } })) !== null;
    return (await exists({ relayDueAt: reached(since) })) || exists({ relayAloneAt: reached(since) });
  }
}

const IS_SHARED = {
  $and: [
    { $lte: ['$bytes', MAX_SHARED_MESSAGE_BYTES] },
    { $lt: [{ $ifNull: ['$relayAttempts', 0] }, MAX_SHARED_ATTEMPTS] },
  ],
};

const RELAY_FIELDS = ['relayAttempts', 'relayAloneAt', 'relaySetAsideAt'];

/** As many as there is room for, and where they end. */
function withinBytes(found: readonly (FoundMessage | FoundAlone)[]) {
  const messages: FoundMessage[] = [];
  const alone: FoundAlone[] = [];
  let bytes = 0;
  let last: Date | undefined;
  for (const one of found) {
    if ('isAlone' in one) alone.push(one);
    else {
      bytes += one.bytes;
      if (messages.length > 0 && bytes > MAX_TAKE_BYTES) return { messages, alone, last, isWhole: false };
      messages.push(one);
    }
    last = one.relayDueAt;
  }
  return { messages, alone, last, isWhole: true };
}

/** Most messages have the same event waiting: one update for all of them. */
function groupByEntries(relayed: readonly RelayedEntries[]) {
  const groups = new Map<string, { entries: readonly OutboxEntry[]; ids: Types.ObjectId[] }>();
  for (const { message, entries } of relayed) {
    const key = entries.map(({ event, reportedStatus }) => raisedKey(event, reportedStatus)).join('\n');
    const group = groups.get(key) ?? { entries, ids: [] };
    group.ids.push(message);
    groups.set(key, group);
  }
  return groups.values();
}

/** An entry is identified by its event and, for `UNKNOWN_STATE`, the status that was reported. */
function withoutEntries(entries: readonly OutboxEntry[]): PipelineStage.Set {
  const isRelayed = entries.map(({ event, reportedStatus }) => ({
    $and: [
      { $eq: ['$$entry.event', event] },
      // What a phone says is data, also where it begins with a dollar sign.
      { $eq: [{ $ifNull: [entryStatus('$$entry'), ''] }, shortText({ $literal: reportedStatus ?? '' })] },
    ],
  }));
  const left = { $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $or: isRelayed }] } } };
  return { $set: { outbox: { $cond: [{ $isArray: '$outbox' }, left, '$outbox'] } } };
}

/** Nothing is left to relay, or what was raised meanwhile is due now. */
const isDone = (now: Date): PipelineStage.Set => ({
  $set: { relayDueAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', now] } },
});
