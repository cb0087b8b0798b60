import { Types } from 'mongoose';
import type { Delivery } from './delivery.schema';
import type { DeliveryUpdate } from './delivery-update';
import { attemptSummary } from './attempt-summary';

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second));

function updated(second: number, kind: 'delivered' | 'retryable'): DeliveryUpdate {
  const outcome =
    kind === 'delivered' ? ({ kind } as const) : ({ kind, error: 'no', retryAfterMs: 0 } as const);
  const attempt = {
    id: new Types.ObjectId(),
    delivery: { computedStatus: 'pending' } as Delivery,
    deliveryUrl: 'https://example.com/hook',
    at: at(second),
    endedAt: at(59),
    durationMs: 0,
    outcome,
  };
  return { attempt, computedStatus: kind === 'delivered' ? 'delivered' : 'retrying' };
}

describe('attemptSummary', () => {
  it('takes the latest start times, in whatever order the attempts ended', () => {
    const slow = [updated(10, 'delivered'), updated(20, 'retryable')];
    const slower = [updated(1, 'delivered'), updated(2, 'retryable')];
    expect(attemptSummary([...slow, ...slower])).toMatchObject({
      lastAttemptAt: at(20),
      lastSuccessAt: at(10),
      lastFailureAt: at(20),
    });
  });

  it('leaves out times for which there was no attempt', () => {
    expect(attemptSummary([updated(1, 'delivered')])).toMatchObject({
      lastAttemptAt: at(1),
      lastFailureAt: undefined,
    });
    expect(attemptSummary([])).toMatchObject({ lastAttemptAt: undefined, lastSuccessAt: undefined });
  });
});
