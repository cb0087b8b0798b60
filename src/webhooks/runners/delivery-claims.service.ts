import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/durations';
import { timeoutOf, type WebhookSubscription } from '../webhook-subscription.schema';
import {
  type ClaimedDeliveries,
  type ClaimLimits,
  DeliveriesRepository,
} from '../deliveries/deliveries.repository';
import type { Delivery } from '../deliveries/delivery.schema';

/** From the claim to the start of the attempt, and from its end to the stored result. */
const CLAIM_MARGIN_MS = 15_000;

/** An owner may change the time limit between the claim and the attempt. */
const MIN_CLAIMED_ATTEMPT_MS = 15_000;

/** Claims the deliveries that runners attempt. */
@Injectable()
export class DeliveryClaims {
  private isOversizedInFlight = false;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
  ) {}

  claimDue(subscription: WebhookSubscription, limits: ClaimLimits): Promise<ClaimedDeliveries> {
    const now = this.clock.now();
    return this.deliveries.claimDue(subscription, limits, now, claimEnd(subscription, now));
  }

  /** Makes deliveries due again that were claimed but not attempted. */
  release(claimed: readonly Delivery[]): Promise<void> {
    return this.deliveries.releaseClaims(claimed);
  }

  /** Claims an oversized delivery and starts its attempt, unless another one is in flight in this process. */
  async attemptOversized(
    subscription: WebhookSubscription,
    id: Types.ObjectId,
    attempt: (delivery: Delivery) => Promise<void>,
  ): Promise<void> {
    if (this.isOversizedInFlight) return;
    this.isOversizedInFlight = true;
    let attempts: Promise<void>[] = [];
    try {
      const now = this.clock.now();
      const until = claimEnd(subscription, now);
      const claimed = await this.deliveries.claimOversized(accountScope(subscription.user), id, now, until);
      attempts = claimed.map(attempt);
    } finally {
      void Promise.all(attempts).finally(() => (this.isOversizedInFlight = false));
    }
  }
}

/** Until when a claim made now is exclusive: it outlasts an attempt. */
export function claimEnd(subscription: Pick<WebhookSubscription, 'timeoutSeconds'>, now: Date): Date {
  const attemptMs = Math.max(timeoutOf(subscription) * SECOND_MS, MIN_CLAIMED_ATTEMPT_MS);
  return new Date(now.getTime() + attemptMs + CLAIM_MARGIN_MS);
}
