import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { byOwnedIds, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { Message, REDELIVERY_INDEX } from '../../messages/message.schema';
import { raisedKey, type UnconfirmedReason } from '../../messages/message-event';
import { REDELIVERY_WINDOW_MS } from '../../gateway/dispatch/redelivery-window';

/** Messages that were handed over and not acknowledged, or not reported. */
@Injectable()
export class UnconfirmedMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Messages dispatched at or before `since` without a report, oldest first; not those that wait to move. */
  listUnreported(since: Date, limit: number): Promise<Pick<Message, '_id' | 'user' | 'device'>[]> {
    return this.messages
      .find(
        { status: 'dispatched', dispatchedAt: { $lte: since }, moveDueAt: { $exists: false } },
        { user: 1, device: 1 },
      )
      .sort({ dispatchedAt: 1 })
      .limit(limit)
      .lean<Pick<Message, '_id' | 'user' | 'device'>[]>();
  }

  /** Messages that were pushed to a device and neither acknowledged nor reported. */
  listUnacknowledged(
    account: AccountScope,
    device: Types.ObjectId,
    limit: number,
  ): Promise<Pick<Message, '_id'>[]> {
    return this.messages
      .find(unacknowledgedBy(account, device), { _id: 1 })
      .limit(limit)
      .hint(REDELIVERY_INDEX)
      .lean<Pick<Message, '_id'>[]>();
  }

  /** Messages that were handed to a device and not reported, acknowledged or not. Reads all messages of the device. */
  listUnreportedBy(
    { user }: AccountScope,
    device: Types.ObjectId,
    limit: number,
  ): Promise<Pick<Message, '_id'>[]> {
    return this.messages
      .find({ user, device, status: 'dispatched', moveDueAt: { $exists: false } }, { _id: 1 })
      .limit(limit)
      .lean<Pick<Message, '_id'>[]>();
  }

  /** Counts messages that were pushed to a device and neither acknowledged nor reported, up to `limit`. */
  countUnacknowledged(account: AccountScope, device: Types.ObjectId, limit: number): Promise<number> {
    const condition = unacknowledgedBy(account, device);
    return this.messages.countDocuments(condition, { limit, hint: REDELIVERY_INDEX });
  }

  /**
   * Of the messages that were handed to a device after a time, and neither acknowledged nor reported, the oldest.
   * @returns when it was handed over.
   */
  async findOldestHandOver(
    account: AccountScope,
    device: Types.ObjectId,
    after: Date | undefined,
  ): Promise<Date | undefined> {
    const until = after && new Date(after.getTime() + REDELIVERY_WINDOW_MS);
    const found = await this.messages
      .findOne(
        {
          ...unacknowledgedBy(account, device),
          redeliverUntil: { $exists: true, ...(until && { $gt: until }) },
        },
        { redeliverUntil: 1 },
      )
      .sort({ redeliverUntil: 1 })
      .lean<Pick<Message, 'redeliverUntil'>>();
    return found?.redeliverUntil && new Date(found.redeliverUntil.getTime() - REDELIVERY_WINDOW_MS);
  }

  /**
   * Moves dispatched messages to `unknown` and raises their event. A later report still changes their status.
   * @returns how many.
   */
  async moveToUnknown(
    messages: readonly OwnedId[],
    unconfirmedReason: UnconfirmedReason,
    now: Date,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'dispatched', moveDueAt: { $exists: false } },
      {
        $set: { status: 'unknown', unconfirmedReason, settledAt: now, relayDueAt: now, updatedAt: now },
        $addToSet: { raised: raisedKey('MESSAGE_UNCONFIRMED') },
        $push: { outbox: { event: 'MESSAGE_UNCONFIRMED', at: now } },
      },
    );
    return result.modifiedCount;
  }

  async endRedelivery(messages: readonly OwnedId[], now: Date): Promise<void> {
    await this.messages.updateMany(
      { ...byOwnedIds(messages), status: { $in: ['dispatched', 'unknown'] } },
      { $unset: { redeliverUntil: 1 }, $set: { updatedAt: now } },
    );
  }
}

function unacknowledgedBy({ user }: AccountScope, device: Types.ObjectId): QueryFilter<Message> {
  return {
    user,
    device,
    redeliverUntil: { $exists: true },
    // An app that has acknowledged a message is listed it again, for which it keeps `redeliverUntil`.
    pushReceivedAt: { $exists: false },
    status: { $in: ['dispatched', 'unknown'] },
  };
}
