import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { DeliveriesRepository } from './deliveries.repository';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { SubscriptionsRepository } from './subscriptions.repository';

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

  /** Pauses an active subscription with a note that says why, and ends its deliveries. @returns whether it was active. */
  async pause(subscription: Types.ObjectId, note: string): Promise<boolean> {
    if (!(await this.subscriptions.pause(subscription, note, this.clock.now()))) return false;
    await this.abort(subscription);
    return true;
  }

  /** Ends the deliveries of a subscription that is paused or deleted. Safe to repeat. */
  async abort(subscription: Types.ObjectId): Promise<void> {
    for (;;) {
      const { ended, failed } = await this.deliveries.abort(subscription, this.clock.now(), ABORTED_AT_ONCE);
      if (failed > 0) await this.leases.countFailed(subscription, failed);
      if (ended < ABORTED_AT_ONCE) return;
    }
  }
}
