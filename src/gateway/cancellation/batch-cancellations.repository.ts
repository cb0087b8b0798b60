import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { Batch, carriedBy, VISIBLE_BATCH } from '../../messages/batch.schema';

interface CancellationResult {
  readonly cancelledCount: number;
  readonly suppressedCount: number;
  /** The days the messages were charged to. */
  readonly charges: readonly { readonly day: string; readonly count: number }[];
}

/** The cancellations in progress of batches. */
@Injectable()
export class BatchCancellationsRepository {
  constructor(
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
    private readonly hints: LiveHints,
  ) {}

  /**
   * Records a cancellation before any message is cancelled, so that `BatchRecoveryScheduler` completes it if the process dies.
   * @param device a phone that must carry a message of it, if given.
   * @returns the batch, or null if there is no such batch, or it is being rescheduled.
   */
  start(
    account: AccountScope,
    device: Types.ObjectId | undefined,
    id: Types.ObjectId,
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<Batch | null> {
    return this.batches
      .findOneAndUpdate(
        {
          _id: id,
          user: account.user,
          ...(device && carriedBy(device)),
          ...VISIBLE_BATCH,
          // A rescheduling moves the charges that a cancellation refunds.
          'change.kind': { $ne: 'reschedule' },
        },
        { $set: { cancellingSince: now, updatedAt: now }, $push: { cancellations: cancellation } },
        { returnDocument: 'after' },
      )
      .lean<Batch>();
  }

  async isRescheduling(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const found = await this.batches.exists({ _id: id, user: account.user, 'change.kind': 'reschedule' });
    return found !== null;
  }

  /**
   * Records a cancellation of messages of several batches, like `start`.
   * @returns the batches that were accepted, without those that are being rescheduled.
   */
  async startMany(
    account: AccountScope,
    ids: readonly Types.ObjectId[],
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<Batch[]> {
    const own = { _id: { $in: ids }, user: account.user };
    await this.batches.updateMany(
      { ...own, acceptance: 'accepted', 'change.kind': { $ne: 'reschedule' } },
      { $set: { cancellingSince: now, updatedAt: now }, $push: { cancellations: cancellation } },
    );
    return this.batches.find({ ...own, cancellations: cancellation }).lean<Batch[]>();
  }

  /** Lists the batches of a cancellation that are not finished. */
  listOf(account: AccountScope, cancellation: Types.ObjectId): Promise<Batch[]> {
    return this.batches
      .find({
        cancellingSince: { $exists: true, $gt: new Date(0) },
        user: account.user,
        cancellations: cancellation,
      })
      .lean<Batch[]>();
  }

  /** Completes a cancellation of batches in which it cancelled no message; idempotent. */
  async finishMany(
    account: AccountScope,
    ids: readonly Types.ObjectId[],
    cancellation: Types.ObjectId,
  ): Promise<void> {
    const own = { _id: { $in: ids }, user: account.user };
    await this.batches.updateMany(
      { ...own, cancellations: cancellation },
      { $pull: { cancellations: cancellation } },
    );
    await this.batches.updateMany(
      { ...own, cancellations: { $size: 0 } },
      { $unset: { cancellingSince: 1, cancellations: 1 } },
    );
    this.hints.publish(account, 'batch', ids);
  }

  /** Completes a cancellation after its refund; idempotent. */
  async finish(
    { _id, user, chargedDays }: Batch,
    cancellation: Types.ObjectId,
    { cancelledCount, suppressedCount, charges }: CancellationResult,
  ): Promise<void> {
    const days = chargedDays ? charges : [];
    const refunds = Object.fromEntries(days.map((charge) => [`chargedDays.${charge.day}`, -charge.count]));
    await this.batches.updateOne(
      { _id, user, cancellations: cancellation },
      {
        $inc: { cancelledCount, ...(suppressedCount > 0 && { suppressedCount }), ...refunds },
        $pull: { cancellations: cancellation },
      },
    );
    await this.batches.updateOne(
      { _id, user, $or: [{ cancellations: { $size: 0 } }, { cancellations: { $exists: false } }] },
      { $unset: { cancellingSince: 1, cancellations: 1 } },
    );
    this.hints.publish({ user }, 'batch', [_id]);
  }

  /** Lists batches with a cancellation in progress since `since`. */
  listUnfinished(since: Date, limit: number): Promise<Batch[]> {
    return this.batches
      .find({ cancellingSince: atOrBefore(since) })
      .sort({ cancellingSince: 1 })
      .limit(limit)
      .lean<Batch[]>();
  }
}
