import type { Types } from 'mongoose';
import type { AttemptOutcome } from './attempt-outcome';
import type { Delivery, DeliveryStatus, ErrorType } from './delivery.schema';
import { nextAttemptAt } from './retry-schedule';

export interface AttemptResult {
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

export interface Attempt extends AttemptResult {
  readonly id: Types.ObjectId;
  readonly delivery: Delivery;
  readonly deliveryUrl: string;
}

/** The state of a delivery after an attempt. */
export interface Settlement {
  readonly attempt: Attempt;
  readonly computedStatus: DeliveryStatus;
  readonly errorType?: ErrorType;
  /** When the next attempt is due; absent when there is none. */
  readonly nextAt?: Date;
}

/**
 * Computes the state of a delivery after an attempt. A redelivery is an extra attempt and does not use up one of the
 * ten scheduled attempts.
 * @param jitter between -1 and 1, see `nextAttemptAt`.
 */
export function settle(attempt: Attempt, jitter: number): Settlement {
  const { delivery, outcome, endedAt } = attempt;
  if (outcome.kind === 'delivered') return { attempt, computedStatus: 'delivered' };
  const errorType = outcome.kind;
  // A delivered event stays delivered, even if a redelivery fails.
  const wasDelivered = delivery.computedStatus === 'delivered';
  // A redelivery of a finished delivery is not retried; a replay is.
  const isFinished = delivery.isRedelivery && (wasDelivered || delivery.deliveryAttemptAbortedAt);
  if (outcome.kind === 'retryable' && !isFinished) {
    const redeliveries = delivery.redeliveryCount + (delivery.isRedelivery ? 1 : 0);
    const scheduledAttempts = delivery.deliveryAttemptCount + 1 - redeliveries;
    const nextAt = nextAttemptAt(scheduledAttempts, endedAt, jitter, outcome.retryAfterMs);
    if (nextAt) {
      return { attempt, computedStatus: wasDelivered ? 'delivered' : 'retrying', errorType, nextAt };
    }
  }
  if (wasDelivered) return { attempt, computedStatus: 'delivered', errorType };
  return { attempt, computedStatus: 'failed', errorType };
}
