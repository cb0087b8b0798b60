import type { Types } from 'mongoose';
import type { AttemptOutcome } from './attempt-outcome';
import type { Delivery, DeliveryStatus, ErrorType } from './delivery.schema';
import { nextAttemptAt } from './retry-schedule';

/** An attempt that was made on a delivery. */
export interface Attempt {
  readonly id: Types.ObjectId;
  readonly delivery: Delivery;
  readonly deliveryUrl: string;
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

/** Where an attempt leaves its delivery. */
export interface Settlement {
  readonly attempt: Attempt;
  readonly computedStatus: DeliveryStatus;
  readonly errorType?: ErrorType;
  /** When the next attempt is due; absent: there is none. */
  readonly nextAt?: Date;
}

/**
 * What follows from an attempt (design: ten attempts by the schedule; one that was asked for is beyond them, and
 * leaves the schedule as it was).
 * @param chance between -1 and 1, see `nextAttemptAt`.
 */
export function settle(attempt: Attempt, chance: number): Settlement {
  const { delivery, outcome, endedAt } = attempt;
  if (outcome.kind === 'delivered') return { attempt, computedStatus: 'delivered' };
  const errorType = outcome.kind;
  // What has reached the endpoint once has reached it, whatever became of a second time.
  const wasDelivered = delivery.computedStatus === 'delivered';
  // Of one that has ended, only a replay is repeated by the schedule.
  const hadEnded = delivery.isRedelivery && (wasDelivered || delivery.deliveryAttemptAbortedAt);
  if (outcome.kind === 'retryable' && !hadEnded) {
    const asked = delivery.redeliveryCount + (delivery.isRedelivery ? 1 : 0);
    const bySchedule = delivery.deliveryAttemptCount + 1 - asked;
    const nextAt = nextAttemptAt(bySchedule, endedAt, chance, outcome.retryAfterMs);
    if (nextAt) {
      return { attempt, computedStatus: wasDelivered ? 'delivered' : 'retrying', errorType, nextAt };
    }
  }
  if (wasDelivered) return { attempt, computedStatus: 'delivered', errorType };
  return { attempt, computedStatus: 'failed', errorType };
}
