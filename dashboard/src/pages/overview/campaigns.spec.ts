import { progressOf } from './campaigns';

const states = { pending: 0, dispatched: 0, sent: 3, delivered: 4, failed: 4, unknown: 0 };

describe('the progress of a campaign', () => {
  it('counts cancelled and suppressed messages neither as failed nor as a part of it', () => {
    expect(progressOf({ states: { ...states, pending: 5 }, cancelledCount: 2, suppressedCount: 1 })).toEqual({
      done: 7,
      failed: 1,
      total: 13,
    });
  });

  it('ends when nothing waits', () => {
    expect(progressOf({ states, cancelledCount: 0, suppressedCount: 0 })).toBeUndefined();
    expect(
      progressOf({ states: { ...states, dispatched: 1 }, cancelledCount: 0, suppressedCount: 0 }),
    ).toBeDefined();
  });
});
