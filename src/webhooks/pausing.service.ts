import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { DeliveriesRepository } from './deliveries.repository';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { type PauseGround, SubscriptionsRepository } from './subscriptions.repository';

const ABORTED_AT_ONCE = 1_000;

/** Stops the deliveries of subscriptions. */
@Injectable()
export class PausingService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly leases: RunnerLeasesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Pauses an active subscription with a note that says why, and ends its deliveries.
   * @param ground what it is paused for: it is not, when that no longer holds.
   * @returns whether it was paused.
   */
  async pause(subscription: Types.ObjectId, ground: PauseGround, note: string): Promise<boolean> {
    if (!(await this.subscriptions.pause(subscription, ground, note, this.clock.now()))) return false;
    await this.abort(subscription);
    return true;
  }

  /** Ends the deliveries of a subscription for as long as it is paused or deleted. Safe to repeat. */
  async abort(subscription: Types.ObjectId): Promise<void> {
    for (;;) {
      const open = await this.deliveries.listOpen(subscription, this.clock.now(), ABORTED_AT_ONCE);
      if (open.length === 0) return;
      // Asked after the look: what was found before a subscription is active again is old, whatever comes later is not.
      if (await this.subscriptions.isActive(subscription)) return;
      const failed = await this.deliveries.abort(open, this.clock.now());
      if (failed > 0) await this.leases.countFailed(subscription, failed);
      if (open.length < ABORTED_AT_ONCE) return;
    }
  }
}
