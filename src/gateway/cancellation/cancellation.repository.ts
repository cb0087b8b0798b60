import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Message } from '../../messages/message.schema';
import type { OutgoingStatus } from '../../messages/message-status';
import { failureUpdate } from '../../messages/failure-update';

export interface CancelTarget {
  readonly batch: Types.ObjectId;
  /** Only those of this phone; absent: of all. */
  readonly device?: Types.ObjectId;
  readonly messages?: readonly Types.ObjectId[];
}

/** What a cancellation came to in one wave. */
export interface CancelledWave {
  readonly wave: number;
  /** Messages cancelled by it. */
  readonly cancelled: number;
  /** Messages that are not cancelled. */
  readonly kept: number;
  /** The first due time. */
  readonly dueAt: Date | null;
}

/** Shorter than the timeout after which `SendRecoveryScheduler` completes a cancellation. */
const WRITE_TIMEOUT_MS = 10_000;

const CANCELLABLE_STATUSES: OutgoingStatus[] = ['pending', 'dispatched', 'unknown'];

/** Cancels messages. Each message stores the id of its cancellation, so that its charge is refunded once. */
@Injectable()
export class CancellationRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Cancels pending messages that are not claimed, including those waiting for a retry.
   * @returns how many.
   */
  async cancelUnclaimed(target: CancelTarget, cancellation: Types.ObjectId, now: Date): Promise<number> {
    return this.cancel(
      { ...filterOf(target), status: 'pending', pushStartedAt: { $exists: false } },
      cancellation,
      now,
    );
  }

  /** Cancels messages after the phone has confirmed that it will not send them. @returns how many. */
  async cancelConfirmed(target: CancelTarget, cancellation: Types.ObjectId, now: Date): Promise<number> {
    return this.cancel(
      { ...filterOf(target), status: { $in: CANCELLABLE_STATUSES }, cancelRequestedAt: { $exists: true } },
      cancellation,
      now,
    );
  }

  /**
   * Marks the unacknowledged messages as cancel requested. Redelivery then sends the cancel request instead of the message,
   * and a message whose push in progress fails is not pushed again.
   */
  async markCancelRequested(target: CancelTarget, now: Date): Promise<void> {
    await this.messages.updateMany(
      {
        ...filterOf(target),
        ...UNACKNOWLEDGED,
        cancelRequestedAt: { $exists: false },
      },
      { $set: { cancelRequestedAt: now, updatedAt: now } },
    );
  }

  /** Messages whose cancellation the phone has not confirmed yet; at most as many as a batch has. */
  async listCancelRequested(target: CancelTarget): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ ...filterOf(target), ...UNACKNOWLEDGED, cancelRequestedAt: { $exists: true } }, { _id: 1 })
      .lean();
    return found.map(({ _id }) => _id);
  }

  /** Those of the messages that the phone was asked to cancel, with their batches. */
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
          status: { $in: CANCELLABLE_STATUSES },
          cancelRequestedAt: { $exists: true },
        },
        { smsBatch: 1 },
      )
      .lean<Pick<Message, '_id' | 'smsBatch'>[]>();
  }

  /** Summarizes a cancellation by wave. In batches of earlier versions its id is the id of the batch. */
  summarize(target: CancelTarget, cancellation: Types.ObjectId): Promise<CancelledWave[]> {
    const { batch } = target;
    const isByCancellation = { $eq: [{ $ifNull: ['$cancellation', batch] }, cancellation] };
    const isCancelled = { $and: [{ $eq: ['$status', 'failed'] }, { $eq: ['$errorCode', 'CANCELLED'] }] };
    const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    return this.messages.aggregate<CancelledWave>([
      { $match: filterOf(target) },
      {
        $group: {
          _id: '$wave',
          cancelled: count({ $and: [isCancelled, isByCancellation] }),
          kept: count({ $not: [isCancelled] }),
          dueAt: { $min: '$dispatchDueAt' },
        },
      },
      { $project: { _id: 0, wave: '$_id', cancelled: 1, kept: 1, dueAt: 1 } },
    ]);
  }

  /** Counts the cancelled messages of a target, over all cancellations. */
  countCancelled(target: CancelTarget): Promise<number> {
    return this.messages.countDocuments({ ...filterOf(target), status: 'failed', errorCode: 'CANCELLED' });
  }

  findOutgoing(
    account: AccountScope,
    id: Types.ObjectId,
  ): Promise<Pick<Message, '_id' | 'device' | 'smsBatch'> | null> {
    return this.messages
      .findOne(
        { _id: id, user: account.user, direction: 'sent', deletedAt: { $exists: false } },
        { device: 1, smsBatch: 1 },
      )
      .lean<Pick<Message, '_id' | 'device' | 'smsBatch'>>();
  }

  private async cancel(filter: object, cancellation: Types.ObjectId, now: Date): Promise<number> {
    const { $set, ...rest } = failureUpdate('CANCELLED', now);
    const update = { ...rest, $set: { ...$set, cancellation } };
    const result = await this.messages.updateMany(filter, update, { maxTimeMS: WRITE_TIMEOUT_MS });
    return result.modifiedCount;
  }
}

const UNACKNOWLEDGED = {
  status: { $in: CANCELLABLE_STATUSES },
  offerUntil: { $exists: true },
  pushReceivedAt: { $exists: false },
};

const filterOf = ({ batch, device, messages }: CancelTarget) => ({
  smsBatch: batch,
  ...(device && { device }),
  ...(messages && { _id: { $in: messages } }),
});
