import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { BOUNDED_MESSAGE, entryStatus, shortText } from '../lists/bounded-message';
import { OutboxEntry, raisedKey } from './message-event';
import { Message } from '../message.schema';

/** A message that fails this many batched attempts is relayed in isolation. */
export const MAX_BATCHED_ATTEMPTS = 2;

/** Larger messages are always relayed in isolation. */
const MAX_BATCHED_MESSAGE_BYTES = 32 * 1024;

const MAX_CLAIM_BYTES = 1024 * 1024;

export interface RelayedEntries {
  readonly message: Types.ObjectId;
  readonly entries: readonly OutboxEntry[];
}

/** Where a claim starts: messages due at `from` or later, of which `known` are relayed in isolation. */
export interface ClaimPosition {
  readonly from: Date;
  readonly known: number;
}

export interface ClaimedMessages {
  /** To be relayed in one batch. */
  readonly messages: readonly Message[];
  /** Due, but to be relayed in isolation; not claimed. */
  readonly isolated: readonly Types.ObjectId[];
  /** Where the next claim starts. */
  readonly position?: ClaimPosition;
  /** Whether no further messages are due. */
  readonly isLast: boolean;
}

export interface IsolatedClaim {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly isSetAside: boolean;
}

type BatchedCandidate = Message & { readonly relayDueAt: Date; readonly bytes: number };
type IsolatedCandidate = Pick<BatchedCandidate, '_id' | 'relayDueAt'> & { readonly isIsolated: true };

/**
 * The transactional outbox: events stored in messages until they are relayed to webhooks. Uses the driver instead of
 * Mongoose, so that a malformed document does not fail a query that also returns others.
 */
@Injectable()
export class OutboxRepository {
  constructor(@InjectModel(Message.name) private readonly model: Model<Message>) {}

  private get messages(): Model<Message>['collection'] {
    return this.model.collection;
  }

  /**
   * Claims due messages until `retryAt`, oldest first, up to `limit` and 1 MB, and counts the attempt. If the process
   * dies, they are due again at `retryAt`. Two processes can claim the same messages; relaying is idempotent.
   */
  async claim(now: Date, retryAt: Date, limit: number, position?: ClaimPosition): Promise<ClaimedMessages> {
    const count = limit + (position?.known ?? 0);
    const found = await this.messages
      .aggregate<BatchedCandidate | IsolatedCandidate>([
        { $match: { relayDueAt: { ...atOrBefore(now), ...(position && { $gte: position.from }) } } },
        { $sort: { relayDueAt: 1 } },
        { $limit: count },
        { $set: { bytes: { $bsonSize: '$$ROOT' } } },
        {
          $replaceWith: {
            $cond: [IS_BATCHABLE, '$$ROOT', { _id: '$_id', relayDueAt: '$relayDueAt', isIsolated: true }],
          },
        },
      ])
      .toArray();
    const { messages, isolated, last, isWhole } = limitBytes(found);
    if (messages.length > 0) {
      await this.messages.updateMany(
        { _id: { $in: messages.map(({ _id }) => _id) }, relayDueAt: atOrBefore(now) },
        { $set: { relayDueAt: retryAt }, $inc: { relayAttempts: 1 } },
      );
    }
    const known = isolated.filter(({ relayDueAt }) => relayDueAt.getTime() === last?.getTime()).length;
    return {
      messages,
      isolated: isolated.map(({ _id }) => _id),
      position: last ? { from: last, known } : position,
      isLast: isWhole && found.length < count,
    };
  }

  /** Messages due to be relayed in isolation, oldest first. */
  async listIsolated(now: Date, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ relayAloneAt: atOrBefore(now) }, { projection: { _id: 1 } })
      .sort({ relayAloneAt: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /**
   * Claims a message for an isolated attempt, and counts the attempt. If the process dies, it is due again at `retryAt`,
   * or at `setAsideUntil` if it is set aside.
   * @returns null if the message is no longer due.
   */
  async claimIsolated(
    id: Types.ObjectId,
    now: Date,
    retryAt: Date,
    setAsideUntil: Date,
  ): Promise<IsolatedClaim | null> {
    const claimed = await this.messages.findOneAndUpdate(
      { _id: id, $or: [{ relayDueAt: atOrBefore(now) }, { relayAloneAt: atOrBefore(now) }] },
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

  async find(id: Types.ObjectId): Promise<Message | undefined> {
    const [message] = await this.messages
      .aggregate<Message>([{ $match: { _id: id } }, BOUNDED_MESSAGE])
      .toArray();
    return message;
  }

  /** Schedules the next isolated attempt. @param isCounted false if the current attempt does not count. */
  async retryIsolated(id: Types.ObjectId, at: Date, isCounted: boolean): Promise<void> {
    await this.messages.updateOne(
      { _id: id, relayAloneAt: { $exists: true } },
      { $set: { relayAloneAt: at }, ...(!isCounted && { $inc: { relayAttempts: -1 } }) },
    );
  }

  /** Sets a message aside until its next attempt. */
  async setAside(id: Types.ObjectId, now: Date, until: Date): Promise<void> {
    await this.messages.updateOne(
      { _id: id, relayAloneAt: { $exists: true } },
      { $set: { relaySetAsideAt: now, relayAloneAt: until } },
    );
  }

  /** Makes all messages that are set aside due now. @returns their number. */
  async retrySetAside(now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { relaySetAsideAt: atOrBefore(now) },
      { $set: { relayAloneAt: now } },
    );
    return result.matchedCount;
  }

  /** Counts the messages that are set aside, up to `limit`. */
  countSetAside(now: Date, limit: number): Promise<number> {
    return this.messages.countDocuments({ relaySetAsideAt: atOrBefore(now) }, { limit });
  }

  /** Removes relayed entries and resets the attempts. Entries raised in the meantime are due now. */
  async removeEntries(relayed: readonly RelayedEntries[], now: Date): Promise<void> {
    for (const { entries, ids } of groupByEntries(relayed)) {
      await this.messages.updateMany({ _id: { $in: ids } }, [
        withoutEntries(entries),
        updateDueTime(now),
        { $unset: RELAY_FIELDS },
      ]);
    }
  }

  /** Removes relayed entries of messages whose other entries could not be relayed. */
  async removeEntriesPartially(relayed: readonly RelayedEntries[]): Promise<void> {
    for (const { entries, ids } of groupByEntries(relayed)) {
      await this.messages.updateMany({ _id: { $in: ids } }, [withoutEntries(entries)]);
    }
  }

  /** The earliest due time of all messages with events; undefined if there are none. */
  async findOldestDueAt(now: Date): Promise<Date | undefined> {
    const [batched] = await this.messages
      .find({ relayDueAt: atOrBefore(now) }, { projection: { relayDueAt: 1 } })
      .sort({ relayDueAt: 1 })
      .limit(1)
      .toArray();
    const [isolated] = await this.messages
      .find({ relayAloneAt: atOrBefore(now) }, { projection: { relayAloneAt: 1 } })
      .sort({ relayAloneAt: 1 })
      .limit(1)
      .toArray();
    const times = [batched?.relayDueAt, isolated?.relayAloneAt].filter((time) => time instanceof Date);
    return times.sort((one, other) => one.getTime() - other.getTime())[0];
  }

  /** Whether any event has been due since `since` or earlier. */
  async isOverdue(since: Date): Promise<boolean> {
    const exists = async (condition: object) =>
      (await this.messages.findOne(condition, { projection: { _id: 1 } })) !== null;
    return (await exists({ relayDueAt: atOrBefore(since) })) || exists({ relayAloneAt: atOrBefore(since) });
  }
}

const IS_BATCHABLE = {
  $and: [
    { $lte: ['$bytes', MAX_BATCHED_MESSAGE_BYTES] },
    { $lt: [{ $ifNull: ['$relayAttempts', 0] }, MAX_BATCHED_ATTEMPTS] },
  ],
};

const RELAY_FIELDS = ['relayAttempts', 'relayAloneAt', 'relaySetAsideAt'];

function limitBytes(found: readonly (BatchedCandidate | IsolatedCandidate)[]) {
  const messages: BatchedCandidate[] = [];
  const isolated: IsolatedCandidate[] = [];
  let bytes = 0;
  let last: Date | undefined;
  for (const one of found) {
    if ('isIsolated' in one) isolated.push(one);
    else {
      bytes += one.bytes;
      if (messages.length > 0 && bytes > MAX_CLAIM_BYTES) return { messages, isolated, last, isWhole: false };
      messages.push(one);
    }
    last = one.relayDueAt;
  }
  return { messages, isolated, last, isWhole: true };
}

/** Most messages have the same entries, so one update removes them from all. */
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

function withoutEntries(entries: readonly OutboxEntry[]): PipelineStage.Set {
  const isRelayed = entries.map(({ event, reportedStatus }) => ({
    $and: [
      { $eq: ['$$entry.event', event] },
      // A literal, because a reported status may start with a dollar sign.
      { $eq: [{ $ifNull: [entryStatus('$$entry'), ''] }, shortText({ $literal: reportedStatus ?? '' })] },
    ],
  }));
  const left = { $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $or: isRelayed }] } } };
  return { $set: { outbox: { $cond: [{ $isArray: '$outbox' }, left, '$outbox'] } } };
}

const updateDueTime = (now: Date): PipelineStage.Set => ({
  $set: { relayDueAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', now] } },
});
