import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../../common/clock';
import { type ClaimedDeliveries, type ClaimLimits, DeliveriesRepository } from '../deliveries.repository';
import type { Delivery } from '../delivery.schema';

/** Twice the longest attempt (15 s). */
const CLAIM_MS = 30_000;

/** Claims the deliveries that runners attempt. */
@Injectable()
export class DeliveryClaims {
  private isOversizedInFlight = false;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  claimDue(subscription: Types.ObjectId, limits: ClaimLimits): Promise<ClaimedDeliveries> {
    const now = this.clock.now();
    return this.deliveries.claimDue(subscription, limits, now, claimEnd(now));
  }

  /** Makes deliveries due again that were claimed but not attempted. */
  release(claimed: readonly Delivery[]): Promise<void> {
    return this.deliveries.releaseClaims(claimed);
  }

  /** Claims an oversized delivery and starts its attempt, unless another one is in flight in this process. */
  async attemptOversized(id: Types.ObjectId, attempt: (delivery: Delivery) => Promise<void>): Promise<void> {
    if (this.isOversizedInFlight) return;
    this.isOversizedInFlight = true;
    let attempts: Promise<void>[] = [];
    try {
      const now = this.clock.now();
      const claimed = await this.deliveries.claimOversized(id, now, claimEnd(now));
      attempts = claimed.map(attempt);
    } finally {
      void Promise.all(attempts).finally(() => (this.isOversizedInFlight = false));
    }
  }
}

/** Until when a claim made now is exclusive. */
export const claimEnd = (now: Date): Date => new Date(now.getTime() + CLAIM_MS);
