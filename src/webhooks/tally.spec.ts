import { Types } from 'mongoose';
import type { Delivery } from './delivery.schema';
import type { Settlement } from './settlement';
import { tally } from './tally';

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second));

/** An attempt that began at a second, and how it ended. */
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

describe('what settled attempts add up to', () => {
  it('tells the latest times, whichever ended last', () => {
    const slow = [settled(10, 'delivered'), settled(20, 'retryable')];
    const slower = [settled(1, 'delivered'), settled(2, 'retryable')];
    expect(tally([...slow, ...slower])).toMatchObject({
      lastAttemptAt: at(20),
      lastSuccessAt: at(10),
      lastFailureAt: at(20),
    });
  });

  it('tells no time of what there was none of', () => {
    expect(tally([settled(1, 'delivered')])).toMatchObject({
      lastAttemptAt: at(1),
      lastFailureAt: undefined,
    });
    expect(tally([])).toMatchObject({ lastAttemptAt: undefined, lastSuccessAt: undefined });
  });
});
