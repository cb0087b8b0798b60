import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { Clock } from '../../common/clock';
import { SubscriptionPauseService } from '../pausing/subscription-pause.service';
import type { WebhookSubscription } from '../webhook-subscription.schema';
import type { AttemptSummary } from '../deliveries/attempt-summary';
import { SubscriptionTotals } from '../deliveries/subscription-totals.service';
import { RunnerLeasesRepository } from './runner-leases.repository';

/** A holder that does not renew within this time is dead. */
const LEASE_MS = 30_000;

/** The lease of a runner on the subscription it delivers for. */
export interface HeldLease {
  readonly runner: Types.ObjectId;
  readonly subscription: WebhookSubscription;
}

/** Gives each subscription to at most one runner of all processes. */
@Injectable()
export class RunnerLeases {
  private readonly subscriptions = new CoalescedLoader<Types.ObjectId, WebhookSubscription>(
    (id) => id.toHexString(),
    (ids) => this.leases.readSubscriptions(ids),
  );

  constructor(
    private readonly leases: RunnerLeasesRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly totals: SubscriptionTotals,
    private readonly clock: Clock,
  ) {}

  /** @returns the lease; `held` when another runner holds it; undefined when the subscription is not active. */
  async acquire(id: Types.ObjectId): Promise<HeldLease | 'held' | undefined> {
    const now = this.clock.now();
    const runner = new Types.ObjectId();
    const subscription = await this.leases.acquire(id, runner, now, leaseEnd(now));
    if (subscription === 'held') return subscription;
    if (subscription) return { runner, subscription };
    // Paused or deleted: aborts deliveries that were created meanwhile.
    await this.pausing.abort(id);
    return undefined;
  }

  /** Makes the holder of the lease check for due deliveries again. @returns false when the lease is free. */
  notifyHolder(id: Types.ObjectId): Promise<boolean> {
    return this.leases.notifyHolder(id, this.clock.now());
  }

  /**
   * Extends the lease, stores the summary also when it is lost, and closes periods of the counters.
   * @returns undefined when it is lost.
   */
  async renew(
    { runner, subscription: { _id } }: HeldLease,
    summary: AttemptSummary,
  ): Promise<HeldLease | undefined> {
    const renewed = await this.leases.renew(_id, runner, leaseEnd(this.clock.now()), summary);
    if (renewed) {
      if (renewed.renewedAt) await this.totals.closeUntil([renewed], renewed.renewedAt);
      return { runner, subscription: renewed };
    }
    if (summary.attempts > 0) await this.leases.storeSummary(_id, summary);
    return undefined;
  }

  /** Reads the subscription as it is now. @returns undefined when the lease is lost. */
  async read({ runner, subscription: { _id } }: HeldLease): Promise<HeldLease | undefined> {
    const subscription = await this.subscriptions.load(_id);
    return subscription?.runner?.id.equals(runner) ? { runner, subscription } : undefined;
  }

  /** Of these subscriptions, those that got due deliveries from other processes since the last call. */
  takeNotifications(
    ids: readonly Types.ObjectId[],
    runners: readonly Types.ObjectId[],
  ): Promise<Types.ObjectId[]> {
    return this.leases.takeNotifications(ids, runners);
  }

  /**
   * Releases the lease and stores the summary.
   * @returns false when deliveries became due meanwhile; then neither is done.
   */
  async release(
    { runner, subscription: { _id, isActive } }: HeldLease,
    summary: AttemptSummary,
  ): Promise<boolean> {
    const outcome = await this.leases.release(_id, runner, summary);
    if (outcome === 'lost' && summary.attempts > 0) await this.leases.storeSummary(_id, summary);
    const isReleased = outcome !== 'notified';
    // Attempts that were rescheduled while the subscription was paused or deleted.
    if (isReleased && !isActive) await this.pausing.abort(_id);
    return isReleased;
  }
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
