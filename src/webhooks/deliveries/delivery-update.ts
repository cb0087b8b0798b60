import type { Types } from 'mongoose';
import type { DeliveryAttemptOutcome } from './attempt-outcome';
import type { Delivery, DeliveryStatus, ErrorType } from './delivery.schema';
import { nextAttemptAt } from './retry-schedule';

export interface DeliveryAttemptResult {
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly outcome: DeliveryAttemptOutcome;
}

export interface Attempt extends DeliveryAttemptResult {
  readonly id: Types.ObjectId;
  readonly delivery: Delivery;
  readonly deliveryUrl: string;
}

/** What an attempt changes on its delivery. */
export interface DeliveryUpdate {
  readonly attempt: Attempt;
  readonly computedStatus: DeliveryStatus;
  readonly errorType?: ErrorType;
  /** When the next attempt is due; absent when there is none. */
  readonly nextAt?: Date;
}

/**
 * Computes the state of a delivery after an attempt. A redelivery is an extra attempt: it neither uses up one of the ten
 * scheduled attempts nor changes when the next one is due.
 * @param jitter between -1 and 1, see `nextAttemptAt`.
 */
export function updateAfterAttempt(attempt: Attempt, jitter: number): DeliveryUpdate {
  const { delivery, outcome } = attempt;
  if (outcome.kind === 'delivered') return { attempt, computedStatus: 'delivered' };
  const errorType = outcome.kind;
  const nextAt = outcome.kind === 'retryable' ? retryAt(attempt, jitter, outcome.retryAfterMs) : undefined;
  // A delivered event stays delivered, even if a redelivery fails.
  if (delivery.computedStatus === 'delivered')
    return { attempt, computedStatus: 'delivered', errorType, nextAt };
  return { attempt, computedStatus: nextAt ? 'retrying' : 'failed', errorType, nextAt };
}

/** @returns undefined when the delivery is not attempted again. */
function retryAt({ delivery, endedAt }: Attempt, jitter: number, retryAfterMs: number): Date | undefined {
  const { isRedelivery, scheduledAttemptAt, deliveryAttemptCount, redeliveryCount } = delivery;
  // A redelivery of a finished delivery, which has no schedule, is not retried; a replay is.
  if (isRedelivery) return scheduledAttemptAt;
  return nextAttemptAt(deliveryAttemptCount + 1 - redeliveryCount, endedAt, jitter, retryAfterMs);
}
