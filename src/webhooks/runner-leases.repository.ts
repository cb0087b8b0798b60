import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types, UpdateQuery } from 'mongoose';
import { Subscription } from './subscription.schema';
import type { Tally } from './tally';

/**
 * Who delivers a subscription's events. One process at a time does, so that the limit of attempts in flight holds
 * for all of them together; should it die, its lease ends by itself.
 */
@Injectable()
export class RunnerLeasesRepository {
  constructor(@InjectModel(Subscription.name) private readonly subscriptions: Model<Subscription>) {}

  /**
   * Takes the lease of an active subscription; if another has it, makes it look once more before it ends. Both in one
   * write: what was due before this call is seen by whoever has the lease after it.
   * @returns the subscription when the lease was taken, `held` when another has it, null when it is not active.
   */
  async acquire(
    id: Types.ObjectId,
    runner: Types.ObjectId,
    now: Date,
    until: Date,
  ): Promise<Subscription | 'held' | null> {
    const isHeld = { $gt: [{ $ifNull: ['$runner.until', new Date(0)] }, now] };
    const subscription = await this.subscriptions
      .findOneAndUpdate(
        { _id: id, isActive: true },
        [
          { $set: { isWoken: { $cond: [isHeld, true, '$$REMOVE'] } } },
          { $set: { runner: { $cond: [isHeld, '$runner', { id: runner, until }] } } },
        ],
        { updatePipeline: true, returnDocument: 'after' },
      )
      .lean<Subscription>();
    if (!subscription) return null;
    return subscription.runner?.id.equals(runner) ? subscription : 'held';
  }

  /** Makes whoever has the lease look once more before it ends. @returns false when nobody has it. */
  async wakeHolder(id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: id, 'runner.until': { $gt: now } },
      { $set: { isWoken: true } },
    );
    return result.matchedCount === 1;
  }

  /**
   * Keeps the lease, and adds what was done to the counts, in one write.
   * @returns the subscription as it is now, null when the lease is lost (and nothing was counted).
   */
  renew(id: Types.ObjectId, runner: Types.ObjectId, until: Date, done: Tally): Promise<Subscription | null> {
    const { $set, ...update } = countUpdate(done);
    return this.subscriptions
      .findOneAndUpdate(
        { _id: id, 'runner.id': runner },
        { ...update, $set: { ...$set, 'runner.until': until } },
        { returnDocument: 'after' },
      )
      .lean<Subscription>();
  }

  /** Adds to the counts without a lease. */
  async count(id: Types.ObjectId, done: Tally): Promise<void> {
    await this.subscriptions.updateOne({ _id: id }, countUpdate(done));
  }

  /** Moves the count of failed deliveries, which other things than attempts do too. */
  async countFailed(id: Types.ObjectId, by: number): Promise<void> {
    await this.subscriptions.updateOne({ _id: id }, { $inc: { deliveryFailureCount: by } });
  }

  /**
   * Gives the lease back, unless deliveries came up since the runner last looked.
   * @returns false when it has to look once more.
   */
  async release(id: Types.ObjectId, runner: Types.ObjectId): Promise<boolean> {
    const released = await this.subscriptions.updateOne(
      { _id: id, 'runner.id': runner, isWoken: { $ne: true } },
      { $unset: { runner: 1 } },
    );
    if (released.matchedCount === 1) return true;
    const woken = await this.subscriptions.updateOne(
      { _id: id, 'runner.id': runner },
      { $unset: { isWoken: 1 } },
    );
    return woken.matchedCount === 0;
  }
}

function countUpdate(done: Tally) {
  const latest = {
    ...(done.lastAttemptAt && { lastDeliveryAttemptAt: done.lastAttemptAt }),
    ...(done.lastSuccessAt && { lastDeliverySuccessAt: done.lastSuccessAt }),
    ...(done.lastFailureAt && { lastDeliveryFailureAt: done.lastFailureAt }),
  };
  const { hasSucceeded, failingSince, failingAttempts } = done;
  return {
    $inc: {
      deliveryAttemptCount: done.attempts,
      successfulDeliveryCount: done.delivered,
      deliveryFailureCount: done.failed,
      ...(!hasSucceeded && { failingAttempts }),
    },
    ...(done.attempts > 0 && { $max: latest }),
    $set: { ...(hasSucceeded && { failingAttempts, ...(failingSince && { failingSince }) }) },
    ...(hasSucceeded && !failingSince && { $unset: { failingSince: 1 as const } }),
    ...(!hasSucceeded && failingSince && { $min: { failingSince } }),
  } satisfies UpdateQuery<Subscription>;
}
