import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { SubscriptionPauseService } from '../subscriptions/subscription-pause.service';
import type { WebhookSubscription } from '../subscriptions/webhook-subscription.schema';
import type { AttemptTotals } from './attempt-totals';
import { SubscriptionTotals } from './subscription-totals.service';
import { RunnerLeasesRepository } from './runner-leases.repository';

/** Twice the longest attempt (15 s). A holder that does not renew within this time is dead. */
const LEASE_MS = 30_000;

/** The lease of a runner on the subscription it delivers for. */
export interface HeldLease {
  readonly runner: Types.ObjectId;
  readonly subscription: WebhookSubscription;
}

/** Gives each subscription to at most one runner of all processes. */
@Injectable()
export class RunnerLeases {
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

  /** Extends the lease, stores results also when it is lost, and closes periods. @returns undefined when it is lost. */
  async renew(
    { runner, subscription: { _id } }: HeldLease,
    totals: AttemptTotals,
  ): Promise<HeldLease | undefined> {
    const renewed = await this.leases.renew(_id, runner, leaseEnd(this.clock.now()), totals);
    if (renewed) {
      if (renewed.renewedAt) await this.totals.closeUntil(renewed, renewed.renewedAt);
      return { runner, subscription: renewed };
    }
    if (totals.attempts > 0) await this.leases.addTotals(_id, totals);
    return undefined;
  }

  /** Releases the lease. @returns false when deliveries became due meanwhile. */
  async release({ runner, subscription: { _id, isActive } }: HeldLease): Promise<boolean> {
    const isReleased = await this.leases.release(_id, runner);
    // Attempts that were rescheduled while the subscription was paused or deleted.
    if (isReleased && !isActive) await this.pausing.abort(_id);
    return isReleased;
  }
}

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
