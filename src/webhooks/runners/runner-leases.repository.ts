import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types, UpdateQuery } from 'mongoose';
import { WebhookSubscription } from '../webhook-subscription.schema';
import type { AttemptSummary } from '../deliveries/attempt-summary';

/**
 * Leases that make one process at a time deliver for a subscription, so that its limit of concurrent attempts holds
 * across processes. The lease of a process that dies expires.
 */
@Injectable()
export class RunnerLeasesRepository {
  constructor(
    @InjectModel(WebhookSubscription.name) private readonly subscriptions: Model<WebhookSubscription>,
  ) {}

  /**
   * Takes the lease of an active subscription. If another process holds it, sets `isWoken` so that the holder checks
   * for due deliveries again before it releases the lease. One atomic write, so no due delivery is missed.
   * @returns the subscription with the lease, `held` if another process has it, null if it is not active.
   */
  async acquire(
    id: Types.ObjectId,
    runner: Types.ObjectId,
    now: Date,
    until: Date,
  ): Promise<WebhookSubscription | 'held' | null> {
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
      .lean<WebhookSubscription>();
    if (!subscription) return null;
    return subscription.runner?.id.equals(runner) ? subscription : 'held';
  }

  /** Makes the holder of the lease check for due deliveries again. @returns false when the lease is free. */
  async notifyHolder(id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: id, 'runner.until': { $gt: now } },
      { $set: { isWoken: true } },
    );
    return result.matchedCount === 1;
  }

  /**
   * Extends the lease and stores the times and failures of attempts, in one write.
   * @returns the updated subscription; null when the lease is lost, and nothing was stored.
   */
  renew(
    id: Types.ObjectId,
    runner: Types.ObjectId,
    until: Date,
    summary: AttemptSummary,
  ): Promise<WebhookSubscription | null> {
    const { $set, ...update } = summaryUpdate(summary);
    return this.subscriptions
      .findOneAndUpdate(
        { _id: id, 'runner.id': runner },
        { ...update, $set: { ...$set, 'runner.until': until }, $currentDate: { renewedAt: true } },
        { returnDocument: 'after' },
      )
      .lean<WebhookSubscription>();
  }

  /** Stores the times and failures of attempts without a lease. */
  async storeSummary(id: Types.ObjectId, summary: AttemptSummary): Promise<void> {
    await this.subscriptions.updateOne({ _id: id }, summaryUpdate(summary));
  }

  /** Subscriptions that exist, by id in hexadecimal. */
  async readSubscriptions(ids: readonly Types.ObjectId[]): Promise<Map<string, WebhookSubscription>> {
    const found = await this.subscriptions.find({ _id: { $in: ids } }).lean<WebhookSubscription[]>();
    return new Map(found.map((subscription) => [subscription._id.toHexString(), subscription]));
  }

  /** Clears `isWoken` of these subscriptions, if their leases belong to these runners. @returns those that had it. */
  async takeNotifications(
    ids: readonly Types.ObjectId[],
    runners: readonly Types.ObjectId[],
  ): Promise<Types.ObjectId[]> {
    const held = { _id: { $in: ids }, 'runner.id': { $in: runners } };
    const notified = await this.subscriptions.find({ ...held, isWoken: true }, { _id: 1 }).lean();
    const notifiedIds = notified.map(({ _id }) => _id);
    if (notifiedIds.length > 0)
      await this.subscriptions.updateMany({ ...held, _id: { $in: notifiedIds } }, { $unset: { isWoken: 1 } });
    return notifiedIds;
  }

  /**
   * Releases the lease and stores the times and failures of attempts.
   * @returns `notified` when deliveries became due since the last check: nothing was done, and the runner must check
   * again. `lost` when another runner has the lease: nothing was stored.
   */
  async release(
    id: Types.ObjectId,
    runner: Types.ObjectId,
    summary: AttemptSummary,
  ): Promise<'released' | 'notified' | 'lost'> {
    const { $unset, ...update } = summaryUpdate(summary);
    const released = await this.subscriptions.updateOne(
      { _id: id, 'runner.id': runner, isWoken: { $ne: true } },
      { ...update, $unset: { ...$unset, runner: 1 } },
    );
    if (released.matchedCount === 1) return 'released';
    const notified = await this.subscriptions.updateOne(
      { _id: id, 'runner.id': runner },
      { $unset: { isWoken: 1 } },
    );
    return notified.matchedCount === 0 ? 'lost' : 'notified';
  }
}

function summaryUpdate(summary: AttemptSummary) {
  const latest = {
    ...(summary.lastAttemptAt && { lastDeliveryAttemptAt: summary.lastAttemptAt }),
    ...(summary.lastSuccessAt && { lastDeliverySuccessAt: summary.lastSuccessAt }),
    ...(summary.lastFailureAt && { lastDeliveryFailureAt: summary.lastFailureAt }),
  };
  const { hasSucceeded, failingSince, failingAttempts } = summary;
  return {
    ...(!hasSucceeded && { $inc: { failingAttempts } }),
    ...(summary.attempts > 0 && { $max: latest }),
    $set: { ...(hasSucceeded && { failingAttempts, ...(failingSince && { failingSince }) }) },
    ...(hasSucceeded && !failingSince && { $unset: { failingSince: 1 as const } }),
    ...(!hasSucceeded && failingSince && { $min: { failingSince } }),
  } satisfies UpdateQuery<WebhookSubscription>;
}
