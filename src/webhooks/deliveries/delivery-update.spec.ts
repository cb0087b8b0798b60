import { Types } from 'mongoose';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import { type Attempt, updateAfterAttempt } from './delivery-update';
import type { Delivery } from './delivery.schema';

const START = new Date('2026-01-31T12:00:00Z');
const REFUSED = { kind: 'retryable', error: 'no', retryAfterMs: 0 } as const;
const after = (time: Date, ms: number) => new Date(time.getTime() + ms);

function attempt(delivery: Partial<Delivery>, endedAt: Date, outcome: Attempt['outcome']): Attempt {
  return {
    id: new Types.ObjectId(),
    delivery: {
      computedStatus: 'retrying',
      deliveryAttemptCount: 1,
      redeliveryCount: 0,
      ...delivery,
    } as Delivery,
    deliveryUrl: 'https://example.com/hook',
    at: endedAt,
    endedAt,
    durationMs: 0,
    outcome,
  };
}

describe('updateAfterAttempt', () => {
  it('lets a delivery fail after its ten scheduled attempts, however often it is redelivered', () => {
    let delivery: Partial<Delivery> = { computedStatus: 'pending', deliveryAttemptCount: 0 };
    let dueAt: Date | undefined = START;
    let redeliverAt = after(START, HOUR_MS);
    let scheduled = 0;
    while (dueAt) {
      const isRedelivery: boolean = redeliverAt < dueAt;
      const now: Date = isRedelivery ? redeliverAt : dueAt;
      const made = attempt(
        { ...delivery, ...(isRedelivery && { isRedelivery, scheduledAttemptAt: dueAt }) },
        now,
        REFUSED,
      );
      const { computedStatus, nextAt } = updateAfterAttempt(made, 0);
      delivery = {
        computedStatus,
        deliveryAttemptCount: made.delivery.deliveryAttemptCount + 1,
        redeliveryCount: made.delivery.redeliveryCount + (isRedelivery ? 1 : 0),
      };
      if (isRedelivery) redeliverAt = after(now, HOUR_MS);
      else scheduled += 1;
      dueAt = nextAt;
      expect(redeliverAt < after(START, 100 * HOUR_MS)).toBe(true);
    }
    expect([delivery.computedStatus, scheduled]).toEqual(['failed', 10]);
  });

  it('leaves the time of the scheduled attempt even if the endpoint asks a redelivery to wait', () => {
    const scheduledAttemptAt = after(START, 5 * SECOND_MS);
    const redelivery = { isRedelivery: true, scheduledAttemptAt };
    const outcome = { ...REFUSED, retryAfterMs: HOUR_MS };
    expect(updateAfterAttempt(attempt(redelivery, START, outcome), 0)).toMatchObject({
      computedStatus: 'retrying',
      nextAt: scheduledAttemptAt,
    });
  });

  it('keeps the schedule of a replay when a delivered delivery is redelivered too', () => {
    const scheduledAttemptAt = after(START, HOUR_MS);
    const replayed = { computedStatus: 'delivered', isRedelivery: true, scheduledAttemptAt } as const;
    expect(updateAfterAttempt(attempt(replayed, START, REFUSED), 0)).toMatchObject({
      computedStatus: 'delivered',
      nextAt: scheduledAttemptAt,
    });
  });

  it('retries no redelivery of a finished delivery', () => {
    const failed = { isRedelivery: true, deliveryAttemptAbortedAt: START };
    expect(updateAfterAttempt(attempt(failed, START, REFUSED), 0)).toMatchObject({
      computedStatus: 'failed',
      nextAt: undefined,
    });
    const delivered = { isRedelivery: true, computedStatus: 'delivered' } as const;
    expect(updateAfterAttempt(attempt(delivered, START, REFUSED), 0)).toMatchObject({
      computedStatus: 'delivered',
      nextAt: undefined,
    });
  });

  it('ends the schedule when the endpoint refuses a redelivery', () => {
    const redelivery = { isRedelivery: true, scheduledAttemptAt: after(START, HOUR_MS) };
    const outcome = { kind: 'non-retryable', error: 'no', isGone: false } as const;
    expect(updateAfterAttempt(attempt(redelivery, START, outcome), 0)).toMatchObject({
      computedStatus: 'failed',
      nextAt: undefined,
    });
  });
});
