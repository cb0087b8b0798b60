import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { reached } from '../common/persistence/reached';
import { OutboxEntry, raisedKey } from './message-event';
import { Message } from './message.schema';

/** What was relayed of a message's outbox. */
export interface RelayedEntries {
  readonly message: Types.ObjectId;
  readonly entries: readonly OutboxEntry[];
}

/** The events that wait in messages for the webhooks. */
@Injectable()
export class OutboxRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Takes messages with waiting events, oldest first: until `retryAt` nobody else is given them. Should whoever took
   * them die, they are there again.
   * Two that take at the very same moment can get the same messages; relaying twice creates nothing.
   */
  async take(now: Date, retryAt: Date, limit: number): Promise<Message[]> {
    const waiting = { relayDueAt: reached(now) };
    const found = await this.messages.find(waiting).sort({ relayDueAt: 1 }).limit(limit).lean<Message[]>();
    if (found.length === 0) return [];
    await this.messages.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, ...waiting },
      { $set: { relayDueAt: retryAt } },
    );
    return found;
  }

  /** Removes exactly these entries; what was raised meanwhile waits on. */
  async remove(relayed: readonly RelayedEntries[], now: Date): Promise<void> {
    // Most messages have the same event waiting: one update for all of them.
    const groups = new Map<string, { entries: readonly OutboxEntry[]; ids: Types.ObjectId[] }>();
    for (const { message, entries } of relayed) {
      const key = entries.map(({ event, reportedStatus }) => raisedKey(event, reportedStatus)).join('\n');
      const group = groups.get(key) ?? { entries, ids: [] };
      group.ids.push(message);
      groups.set(key, group);
    }
    for (const { entries, ids } of groups.values()) {
      await this.messages.updateMany({ _id: { $in: ids } }, without(entries, now), { updatePipeline: true });
    }
  }

  /** Since when the event has waited that waits longest; undefined when none does. */
  async oldest(now: Date): Promise<Date | undefined> {
    const found = await this.messages
      .findOne({ relayDueAt: reached(now) }, { relayDueAt: 1 })
      .sort({ relayDueAt: 1 })
      .lean<Pick<Message, 'relayDueAt'>>();
    return found?.relayDueAt;
  }

  /** Whether an event has been waiting since before `since`. */
  async isOverdue(since: Date): Promise<boolean> {
    return (await this.messages.exists({ relayDueAt: reached(since) })) !== null;
  }
}

/** An entry is identified by its event and, for `UNKNOWN_STATE`, the status that was reported. */
function without(entries: readonly OutboxEntry[], now: Date): PipelineStage[] {
  const isRelayed = entries.map(({ event, reportedStatus }) => ({
    $and: [
      { $eq: ['$$entry.event', event] },
      // What a phone says is data, also where it begins with a dollar sign.
      { $eq: [{ $ifNull: ['$$entry.reportedStatus', ''] }, { $literal: reportedStatus ?? '' }] },
    ],
  }));
  return [
    {
      $set: { outbox: { $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $or: isRelayed }] } } } },
    },
    { $set: { relayDueAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', now] } } },
  ];
}
