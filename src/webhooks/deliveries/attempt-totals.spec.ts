import { Types } from 'mongoose';
import type { Delivery } from './delivery.schema';
import type { Settlement } from './settlement';
import { attemptTotals } from './attempt-totals';

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second));

function settled(second: number, kind: 'delivered' | 'retryable'): Settlement {
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

describe('attemptTotals', () => {
  it('takes the latest start times, in whatever order the attempts ended', () => {
    const slow = [settled(10, 'delivered'), settled(20, 'retryable')];
    const slower = [settled(1, 'delivered'), settled(2, 'retryable')];
    expect(attemptTotals([...slow, ...slower])).toMatchObject({
      lastAttemptAt: at(20),
      lastSuccessAt: at(10),
      lastFailureAt: at(20),
    });
  });

  it('leaves out times for which there was no attempt', () => {
    expect(attemptTotals([settled(1, 'delivered')])).toMatchObject({
      lastAttemptAt: at(1),
      lastFailureAt: undefined,
    });
    expect(attemptTotals([])).toMatchObject({ lastAttemptAt: undefined, lastSuccessAt: undefined });
  });
});
