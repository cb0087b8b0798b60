import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { exists } from '../../infrastructure/mongo/exists';
import { Message, type OutgoingMessage, REDELIVERY_INDEX } from '../../messages/message.schema';
import type { OutgoingStatus } from '../../messages/message-status';
import { CLAIMABLE } from '../../messages/ended-attempt';
import { failureUpdate } from '../../messages/failure-update';
import { UNSENT_CODES, type UnsentCode, type WithdrawnCode } from '../../messages/failures/withdrawn-codes';
import { idsOf } from '../../common/documents';

export interface CancelTarget {
  readonly batch: Types.ObjectId;
  /** Absent: all of the batch. */
  readonly messages?: readonly Types.ObjectId[];
}

/** Messages of a batch that one phone carries. */
export interface PhoneCancelTarget extends CancelTarget {
  readonly device: Types.ObjectId;
}

/** A message that was not handed over by its deadline, or that has waited too long for its phone. */
export type ExpiredMessage = Pick<OutgoingMessage, '_id' | 'user' | 'smsBatch' | 'validUntil'>;

/** A message whose recipient is blocked. */
export type SuppressedMessage = Pick<OutgoingMessage, '_id' | 'smsBatch'>;

/** What a cancellation, or a deadline, withdrew from a wave of a batch. */
export interface WithdrawnWave {
  readonly batch: Types.ObjectId;
  readonly wave: number;
  /** Messages that it cancelled, or that expired by it. */
  readonly withdrawn: number;
  /** Those that it cancelled. */
  readonly cancelled: number;
  /** Those whose recipients are blocked. */
  readonly suppressed: number;
  /** Messages that nothing has withdrawn. */
  readonly kept: number;
  /** The first due time. */
  readonly dueAt: Date | null;
}

/** Shorter than the timeout after which `BatchRecoveryScheduler` completes a cancellation. */
export const WRITE_TIMEOUT_MS = 10_000;

/** A batch has a wave for each of 10,000 messages: a reply is decoded at once. */
const WAVES_PER_REPLY = 500;

const CANCELLABLE_STATUSES: OutgoingStatus[] = ['pending', 'dispatched', 'unknown'];

/** Cancels and expires messages. Each stores the id of its cancellation, so that its charge is refunded once. */
@Injectable()
export class CancellationRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Cancels messages that are not claimed, including those waiting for a retry or to move to another SIM.
   * @returns how many.
   */
  async cancelUnclaimed(
    account: AccountScope,
    target: CancelTarget,
    cancellation: Types.ObjectId,
    now: Date,
    timeoutMs = WRITE_TIMEOUT_MS,
  ): Promise<number> {
    return this.withdraw(
      { ...filterOf(account, target), ...CLAIMABLE },
      'CANCELLED',
      cancellation,
      now,
      timeoutMs,
    );
  }

  /** Messages that `cancelUnclaimed` would cancel; at most as many as a batch has. */
  async listUnclaimed(account: AccountScope, target: CancelTarget): Promise<Types.ObjectId[]> {
    const found = this.messages.find({ ...filterOf(account, target), ...CLAIMABLE }, { _id: 1 });
    return idsOf(await found.lean());
  }

  /**
   * Cancels messages after the phone has confirmed that it will not send them; those that were asked back because their recipients are
   * blocked fail as suppressed. @returns how many.
   */
  async cancelConfirmed(
    account: AccountScope,
    target: CancelTarget,
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<number> {
    const requested = {
      ...filterOf(account, target),
      status: { $in: CANCELLABLE_STATUSES },
      cancelRequestedAt: { $exists: true },
    };
    const recalled = { ...requested, isRecalled: true };
    return (
      (await this.withdraw(recalled, 'SUPPRESSED', cancellation, now)) +
      (await this.withdraw(requested, 'CANCELLED', cancellation, now))
    );
  }

  /**
   * Marks the messages as cancel requested that the phone may not have sent. Redelivery then sends the cancel request instead of the message,
   * and a message whose push in progress fails is not pushed again.
   * @param isRecalled whether it is requested because the recipients are blocked.
   */
  async markCancelRequested(
    account: AccountScope,
    target: PhoneCancelTarget,
    now: Date,
    isRecalled = false,
  ): Promise<void> {
    await this.messages.updateMany(
      { ...onPhone(account, target), ...NOT_SENT_YET, cancelRequestedAt: { $exists: false } },
      { $set: { cancelRequestedAt: now, updatedAt: now, ...(isRecalled && { isRecalled }) } },
    );
  }

  /** Messages whose cancellation the phone has not confirmed yet; at most as many as a batch has. */
  async listCancelRequested(account: AccountScope, target: PhoneCancelTarget): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find(
        { ...onPhone(account, target), ...NOT_SENT_YET, cancelRequestedAt: { $exists: true } },
        { _id: 1 },
      )
      .hint(target.messages ? { _id: 1 } : REDELIVERY_INDEX)
      .lean();
    return idsOf(found);
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

  /**
   * Lists messages of all accounts that nobody has claimed and whose deadline has come, the earliest first, and those that have
   * waited too long for phones that cannot be reached.
   */
  async listExpired(now: Date, limit: number): Promise<ExpiredMessage[]> {
    const expired = { validUntil: atOrBefore(now), pushStartedAt: { $exists: false } };
    const [waiting, moving, unreachable] = await Promise.all([
      this.listEarliest({ ...expired, status: 'pending' }, { validUntil: 1 }, limit),
      this.listEarliest(
        { ...expired, status: 'dispatched', moveDueAt: { $exists: true } },
        { validUntil: 1 },
        limit,
      ),
      this.listEarliest({ giveUpAt: atOrBefore(now) }, { giveUpAt: 1 }, limit),
    ]);
    return [...waiting, ...moving, ...unreachable];
  }

  /**
   * Fails messages whose deadline has come, and those that have waited too long for their phones, unless they were claimed
   * meanwhile. @returns how many.
   */
  async expire(
    { user }: AccountScope,
    expired: readonly ExpiredMessage[],
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<number> {
    const byCode = groupBy(expired, ({ validUntil }): Exclude<UnsentCode, 'SUPPRESSED'> =>
      validUntil && validUntil <= now ? 'EXPIRED' : 'PHONE_UNREACHABLE',
    );
    let count = 0;
    for (const [code, messages] of byCode) {
      const due = code === 'EXPIRED' ? { validUntil: { $lte: now } } : { giveUpAt: { $lte: now } };
      count += await this.withdraw(
        { user, _id: { $in: idsOf(messages) }, ...due, ...CLAIMABLE },
        code,
        cancellation,
        now,
      );
    }
    return count;
  }

  /** Fails messages whose recipients are blocked, unless they were claimed meanwhile. @returns how many. */
  suppress(
    { user }: AccountScope,
    messages: readonly SuppressedMessage[],
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<number> {
    return this.withdraw(
      { user, _id: { $in: idsOf(messages) }, ...CLAIMABLE },
      'SUPPRESSED',
      cancellation,
      now,
    );
  }

  /**
   * Summarizes a cancellation by batch and wave.
   * @param messages absent: all of these batches.
   */
  async summarize(
    { user }: AccountScope,
    batches: readonly Types.ObjectId[],
    messages: readonly Types.ObjectId[] | undefined,
    cancellation: Types.ObjectId,
  ): Promise<ReadonlyMap<string, readonly WithdrawnWave[]>> {
    const isByCancellation = { $eq: ['$cancellation', cancellation] };
    const failedWith = (code: string) => ({
      $and: [{ $eq: ['$status', 'failed'] }, { $eq: ['$errorCode', code] }],
    });
    const isCancelled = failedWith('CANCELLED');
    // A phone may report the same code.
    const isUnsent = { $and: [{ $or: UNSENT_CODES.map(failedWith) }, exists('$cancellation')] };
    const isWithdrawn = { $or: [isCancelled, isUnsent] };
    const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const waves = this.messages.aggregate<WithdrawnWave>([
      { $match: { user, smsBatch: { $in: batches }, ...(messages && { _id: { $in: messages } }) } },
      {
        $group: {
          _id: { batch: '$smsBatch', wave: '$wave' },
          withdrawn: count({ $and: [isWithdrawn, isByCancellation] }),
          cancelled: count({ $and: [isCancelled, isByCancellation] }),
          suppressed: count({ $and: [failedWith('SUPPRESSED'), isByCancellation] }),
          kept: count({ $not: [isWithdrawn] }),
          dueAt: { $min: '$dispatchDueAt' },
        },
      },
      {
        $project: {
          ...{ _id: 0, batch: '$_id.batch', wave: '$_id.wave' },
          ...{ withdrawn: 1, cancelled: 1, suppressed: 1, kept: 1, dueAt: 1 },
        },
      },
    ]);
    const byBatch = new Map<string, WithdrawnWave[]>();
    for await (const wave of waves.option({ batchSize: WAVES_PER_REPLY }).cursor<WithdrawnWave>()) {
      const key = wave.batch.toHexString();
      const ofBatch = byBatch.get(key);
      if (ofBatch) ofBatch.push(wave);
      else byBatch.set(key, [wave]);
    }
    return byBatch;
  }

  /** Counts the cancelled messages of a target, over all cancellations. */
  countCancelled(account: AccountScope, target: CancelTarget): Promise<number> {
    return this.messages.countDocuments({
      ...filterOf(account, target),
      status: 'failed',
      errorCode: 'CANCELLED',
    });
  }

  findOutgoing(
    { user }: AccountScope,
    id: Types.ObjectId,
  ): Promise<Pick<Message, 'device' | 'smsBatch'> | null> {
    return this.messages
      .findOne(
        { _id: id, user, direction: 'sent', deletedAt: { $exists: false } },
        { device: 1, smsBatch: 1 },
      )
      .lean<Pick<Message, 'device' | 'smsBatch'>>();
  }

  private listEarliest(
    filter: QueryFilter<Message>,
    sort: Readonly<Record<string, 1>>,
    limit: number,
  ): Promise<ExpiredMessage[]> {
    return this.messages
      .find(filter, { user: 1, smsBatch: 1, validUntil: 1 })
      .sort(sort)
      .limit(limit)
      .lean<ExpiredMessage[]>();
  }

  private async withdraw(
    filter: object,
    errorCode: WithdrawnCode,
    cancellation: Types.ObjectId,
    now: Date,
    timeoutMs = WRITE_TIMEOUT_MS,
  ): Promise<number> {
    const { $set, ...rest } = failureUpdate(errorCode, now);
    const update = { ...rest, $set: { ...$set, cancellation } };
    const result = await this.messages.updateMany(filter, update, { maxTimeMS: timeoutMs });
    return result.modifiedCount;
  }
}

/** What is redelivered: not acknowledged, or acknowledged by a phone that is listed it again until it reports. */
export const NOT_SENT_YET = {
  status: { $in: CANCELLABLE_STATUSES },
  redeliverUntil: { $exists: true },
  sendAttemptedAt: { $exists: false },
};

const filterOf = ({ user }: AccountScope, { batch, messages }: CancelTarget) => ({
  user,
  smsBatch: batch,
  ...(messages && { _id: { $in: messages } }),
});

const onPhone = (account: AccountScope, { device, ...target }: PhoneCancelTarget) => ({
  ...filterOf(account, target),
  device,
});
