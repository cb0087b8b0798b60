import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Message } from './message.schema';
import type { OutgoingStatus } from './message-status';
import { failureUpdate } from './message-failure';

/** What is cancelled: a batch, or some of its messages. */
export interface CancelTarget {
  readonly batch: Types.ObjectId;
  readonly messages?: readonly Types.ObjectId[];
}

/** What one cancellation has come to. */
export interface CancelledMessages {
  /** How many messages of each wave it cancelled. */
  readonly byWave: ReadonlyMap<number, number>;
  /** The first wave of the batch from which on every message is cancelled; only where a whole batch was. */
  readonly freeFromWave?: number;
}

/** Ends a write long before the sweeper takes up what its process left. */
const WRITE_LIMIT_MS = 10_000;

/** Handed to a phone, or being handed to it, and not settled. */
const HANDED_OVER: OutgoingStatus[] = ['pending', 'dispatched', 'unknown'];

/** The writes that cancel messages. Each message remembers its cancellation, so that it is given back once. */
@Injectable()
export class CancellationRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Cancels what no push service has: pending messages that nobody has claimed. A message in back-off is one of them:
   * the push service has definitely not taken it.
   * @returns how many.
   */
  async cancelUnclaimed(target: CancelTarget, cancellation: Types.ObjectId, now: Date): Promise<number> {
    return this.write(
      { ...condition(target), status: 'pending', pushStartedAt: { $exists: false } },
      cancellation,
      now,
    );
  }

  /** Cancels messages of which their phone has confirmed that it will not send them. @returns how many. */
  async cancelConfirmed(target: CancelTarget, cancellation: Types.ObjectId, now: Date): Promise<number> {
    return this.write(
      { ...condition(target), status: { $in: HANDED_OVER }, cancelRequestedAt: { $exists: true } },
      cancellation,
      now,
    );
  }

  /**
   * Notes which messages the phone is asked to take back: those it was handed, or is being handed, and has not
   * acknowledged. From now on it is sent the request instead of the message.
   */
  async requestFromPhone(target: CancelTarget, now: Date): Promise<void> {
    await this.messages.updateMany(
      {
        ...condition(target),
        ...UNACKNOWLEDGED,
        cancelRequestedAt: { $exists: false },
      },
      { $set: { cancelRequestedAt: now, updatedAt: now } },
    );
  }

  /** The messages the phone was asked to take back and has not answered for, at most `limit`. */
  async listRequested(target: CancelTarget, limit: number): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ ...condition(target), ...UNACKNOWLEDGED, cancelRequestedAt: { $exists: true } }, { _id: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  /** Of these messages of a phone, those it was asked to take back, with their batches. */
  listConfirmable(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Pick<Message, '_id' | 'smsBatch'>[]> {
    return this.messages
      .find(
        {
          _id: { $in: ids },
          user: account.user,
          device,
          status: { $in: HANDED_OVER },
          cancelRequestedAt: { $exists: true },
        },
        { smsBatch: 1 },
      )
      .lean<Pick<Message, '_id' | 'smsBatch'>[]>();
  }

  /** What a cancellation has come to. One of an older version of the service has the id of its batch. */
  async read(target: CancelTarget, cancellation: Types.ObjectId): Promise<CancelledMessages> {
    const { batch } = target;
    const isOurs = { $eq: [{ $ifNull: ['$cancellation', batch] }, cancellation] };
    const isCancelled = { $and: [{ $eq: ['$status', 'failed'] }, { $eq: ['$errorCode', 'CANCELLED'] }] };
    const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const waves = await this.messages.aggregate<{ _id: number; ours: number; kept: number }>([
      { $match: condition(target) },
      {
        $group: {
          _id: '$wave',
          ours: count({ $and: [isCancelled, isOurs] }),
          kept: count({ $not: [isCancelled] }),
        },
      },
    ]);
    return {
      byWave: new Map(waves.filter(({ ours }) => ours > 0).map(({ _id, ours }) => [_id, ours])),
      ...(!target.messages && {
        freeFromWave: Math.max(0, ...waves.filter(({ kept }) => kept > 0).map(({ _id }) => _id + 1)),
      }),
    };
  }

  /** How many messages of the target are cancelled, by whichever cancellation. */
  count(target: CancelTarget): Promise<number> {
    return this.messages.countDocuments({ ...condition(target), status: 'failed', errorCode: 'CANCELLED' });
  }

  /** A message that was sent, or is to be, of this account. */
  find(
    account: AccountScope,
    id: Types.ObjectId,
  ): Promise<Pick<Message, '_id' | 'device' | 'smsBatch'> | null> {
    return this.messages
      .findOne({ _id: id, user: account.user, direction: 'sent' }, { device: 1, smsBatch: 1 })
      .lean<Pick<Message, '_id' | 'device' | 'smsBatch'>>();
  }

  private async write(filter: object, cancellation: Types.ObjectId, now: Date): Promise<number> {
    const { $set, ...rest } = failureUpdate('CANCELLED', now);
    const update = { ...rest, $set: { ...$set, cancellation } };
    const result = await this.messages.updateMany(filter, update, { maxTimeMS: WRITE_LIMIT_MS });
    return result.modifiedCount;
  }
}

const UNACKNOWLEDGED = {
  status: { $in: HANDED_OVER },
  offerUntil: { $exists: true },
  pushReceivedAt: { $exists: false },
};

const condition = ({ batch, messages }: CancelTarget) => ({
  smsBatch: batch,
  ...(messages && { _id: { $in: messages } }),
});
