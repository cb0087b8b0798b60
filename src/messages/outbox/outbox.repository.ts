import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type mongo, PipelineStage, Types } from 'mongoose';
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

/** Where a claim starts. */
export interface ClaimPosition {
  /** Due time of the first message. */
  readonly from: Date;
  /** Number of isolated messages due exactly at `from` that were already returned. */
  readonly known: number;
}

export interface ClaimedMessages {
  /** To be relayed in one batch. */
  readonly messages: readonly Message[];
  /** Due, but to be relayed in isolation; not claimed. */
  readonly isolated: readonly Types.ObjectId[];
  /** Where the next claim starts. */
  readonly position?: ClaimPosition;
  /** Whether further messages may be due. */
  readonly hasMore: boolean;
}

export interface IsolatedClaim {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly isSetAside: boolean;
}

type BatchedCandidate = Message & { readonly relayDueAt: Date; readonly bytes: number };
type IsolatedCandidate = Pick<BatchedCandidate, '_id' | 'relayDueAt'> & { readonly isIsolated: true };

/**
 * The transactional outbox: events stored in messages until they are relayed to webhooks. Uses the driver,
 * which returns malformed documents as they are stored; the relay then fails only for those.
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
    const found = await this.listCandidates(now, count, position);
    const { messages, isolated, last, isComplete } = splitCandidates(found);
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
      hasMore: !isComplete || found.length === count,
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
    setAsideRetryAt: Date,
  ): Promise<IsolatedClaim | null> {
    const claimed = await this.messages.findOneAndUpdate(
      { _id: id, $or: [{ relayDueAt: atOrBefore(now) }, { relayAloneAt: atOrBefore(now) }] },
      [
        {
          $set: {
            relayAttempts: { $add: [{ $ifNull: ['$relayAttempts', 0] }, 1] },
            relayAloneAt: {
              $cond: [{ $eq: [{ $type: '$relaySetAsideAt' }, 'missing'] }, retryAt, setAsideRetryAt],
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

  /** Finds a message. Its texts are truncated, because it may be of any size. */
  async findBounded(id: Types.ObjectId): Promise<Message | undefined> {
    const [message] = await this.messages
      .aggregate<Message>([{ $match: { _id: id } }, BOUNDED_MESSAGE])
      .toArray();
    return message;
  }

  /** Schedules the next isolated attempt. */
  async retryIsolated(id: Types.ObjectId, at: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relayAloneAt: at } });
  }

  /** Schedules the next isolated attempt, and does not count the current one. */
  async retryUncounted(id: Types.ObjectId, at: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relayAloneAt: at }, $inc: { relayAttempts: -1 } });
  }

  /** Sets a message aside until its next attempt. */
  async setAside(id: Types.ObjectId, now: Date, until: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relaySetAsideAt: now, relayAloneAt: until } });
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
        { $unset: RETRY_FIELDS },
      ]);
    }
  }

  /** Removes relayed entries of messages whose other entries could not be relayed. */
  async removeEntriesPartially(relayed: readonly RelayedEntries[]): Promise<void> {
    for (const { entries, ids } of groupByEntries(relayed)) {
      await this.messages.updateMany({ _id: { $in: ids } }, [withoutEntries(entries)]);
    }
  }

  /** The earliest due time; undefined if nothing is due. */
  async findOldestDueTime(now: Date): Promise<Date | undefined> {
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

  /** Whether any event was due at or before `since`. */
  async isOverdue(since: Date): Promise<boolean> {
    const exists = async (condition: object) =>
      (await this.messages.findOne(condition, { projection: { _id: 1 } })) !== null;
    return (await exists({ relayDueAt: atOrBefore(since) })) || exists({ relayAloneAt: atOrBefore(since) });
  }

  private async updateIsolated(
    id: Types.ObjectId,
    update: mongo.UpdateFilter<mongo.Document>,
  ): Promise<void> {
    await this.messages.updateOne({ _id: id, relayAloneAt: { $exists: true } }, update);
  }

  /** Due messages, oldest first; of those to be relayed in isolation only the id and the due time. */
  private listCandidates(now: Date, limit: number, position?: ClaimPosition) {
    return this.messages
      .aggregate<BatchedCandidate | IsolatedCandidate>([
        { $match: { relayDueAt: { ...atOrBefore(now), ...(position && { $gte: position.from }) } } },
        { $sort: { relayDueAt: 1 } },
        { $limit: limit },
        { $set: { bytes: { $bsonSize: '$$ROOT' } } },
        {
          $replaceWith: {
            $cond: [IS_BATCHABLE, '$$ROOT', { _id: '$_id', relayDueAt: '$relayDueAt', isIsolated: true }],
          },
        },
      ])
      .toArray();
  }
}

const IS_BATCHABLE = {
  $and: [
    { $lte: ['$bytes', MAX_BATCHED_MESSAGE_BYTES] },
    { $lt: [{ $ifNull: ['$relayAttempts', 0] }, MAX_BATCHED_ATTEMPTS] },
  ],
};

const RETRY_FIELDS = ['relayAttempts', 'relayAloneAt', 'relaySetAsideAt'];

/** Splits candidates into those to relay in one batch, up to 1 MB, and those to relay in isolation. */
function splitCandidates(found: readonly (BatchedCandidate | IsolatedCandidate)[]) {
  const messages: BatchedCandidate[] = [];
  const isolated: IsolatedCandidate[] = [];
  let bytes = 0;
  let last: Date | undefined;
  for (const one of found) {
    if ('isIsolated' in one) isolated.push(one);
    else {
      bytes += one.bytes;
      if (bytes > MAX_CLAIM_BYTES) return { messages, isolated, last, isComplete: false };
      messages.push(one);
    }
    last = one.relayDueAt;
  }
  return { messages, isolated, last, isComplete: true };
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
  const relayedConditions = entries.map(({ event, reportedStatus }) => ({
    $and: [
      { $eq: ['$$entry.event', event] },
      // A literal, because a reported status may start with a dollar sign.
      { $eq: [{ $ifNull: [entryStatus('$$entry'), ''] }, shortText({ $literal: reportedStatus ?? '' })] },
    ],
  }));
  const remaining = {
    $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $or: relayedConditions }] } },
  };
  return { $set: { outbox: { $cond: [{ $isArray: '$outbox' }, remaining, '$outbox'] } } };
}

const updateDueTime = (now: Date): PipelineStage.Set => ({
  $set: { relayDueAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', now] } },
});
