import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { type ClaimedDeliveries, type ClaimLimits, DeliveriesRepository } from './deliveries.repository';
import type { Delivery } from './delivery.schema';
import { leaseEnd } from './runner-leases.service';

@Injectable()
export class DeliveryClaims {
  private isLargeInFlight = false;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  claimDue(subscription: Types.ObjectId, limits: ClaimLimits): Promise<ClaimedDeliveries> {
    const now = this.clock.now();
    return this.deliveries.claimDue(subscription, limits, now, leaseEnd(now));
  }

  /** Claims a large delivery and starts its attempt, unless another one is in flight in this process. */
  async attemptLarge(id: Types.ObjectId, attempt: (delivery: Delivery) => Promise<void>): Promise<void> {
    if (this.isLargeInFlight) return;
    this.isLargeInFlight = true;
    let attempts: Promise<void>[] = [];
    try {
      const now = this.clock.now();
      const claimed = await this.deliveries.claimLarge(id, now, leaseEnd(now));
      attempts = claimed.map(attempt);
    } finally {
      void Promise.all(attempts).finally(() => (this.isLargeInFlight = false));
    }
  }
}
