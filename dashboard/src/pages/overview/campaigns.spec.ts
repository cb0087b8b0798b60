import { progressOf } from './campaigns';

const states = { pending: 0, dispatched: 0, sent: 3, delivered: 4, failed: 3, unknown: 0 };

describe('the progress of a campaign', () => {
  it('counts cancelled messages neither as failed nor as a part of it', () => {
    expect(progressOf({ states: { ...states, pending: 5 }, cancelledCount: 2 })).toEqual({
      done: 7,
      failed: 1,
      total: 13,
    });
  });

  it('ends when nothing waits', () => {
    expect(progressOf({ states, cancelledCount: 0 })).toBeUndefined();
    expect(progressOf({ states: { ...states, dispatched: 1 }, cancelledCount: 0 })).toBeDefined();
  });
});
