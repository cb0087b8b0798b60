import {
  type Breaker,
  breakerState,
  leaseCanary,
  expireCanary,
  openBreaker,
  type CanaryResult,
  releaseCanary,
  settleCanary,
} from './breaker';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = new Date('2026-03-01T12:00:00Z');
const inMs = (ms: number, from = NOW) => new Date(from.getTime() + ms);

const opened = openBreaker(undefined, 'failures', NOW);

/** Claims each canary when it is due, and settles it a second later. */
function settleCanaries(breaker: Breaker, ...results: CanaryResult[]): Breaker {
  return results.reduce((current, result) => {
    const claimed = leaseCanary(current, 'canary', current.canaryDueAt);
    if (!claimed) throw new Error('no canary is due');
    return settleCanary(claimed, result, inMs(1_000, current.canaryDueAt));
  }, breaker);
}

describe('the breaker', () => {
  it('is closed at first, open for five minutes, then half-open', () => {
    expect(breakerState(undefined, NOW)).toBe('closed');
    expect(breakerState(opened, inMs(5 * MINUTE - 1))).toBe('open');
    expect(breakerState(opened, inMs(5 * MINUTE))).toBe('half-open');
  });

  it('lets one canary out at a time', () => {
    expect(leaseCanary(opened, 'a', inMs(5 * MINUTE - 1))).toBeUndefined();
    const claimed = leaseCanary(opened, 'a', inMs(5 * MINUTE));
    expect(claimed).toMatchObject({ canary: { recipient: 'a' } });
    expect(claimed && leaseCanary(claimed, 'b', inMs(6 * MINUTE))).toBeUndefined();
    expect(claimed && breakerState(claimed, inMs(6 * MINUTE))).toBe('half-open');
  });

  it('takes a canary back whose message did not leave, and no other one', () => {
    const at = inMs(5 * MINUTE);
    const claimed = leaseCanary(opened, 'a', at) ?? opened;
    expect(releaseCanary(claimed, { recipient: 'a', at })).toEqual(opened);
    for (const other of [
      { recipient: 'b', at },
      { recipient: 'a', at: inMs(4 * MINUTE) },
    ])
      expect(releaseCanary(claimed, other)).toBe(claimed);
    expect(releaseCanary(opened, { recipient: 'a', at })).toBe(opened);
  });

  it('doubles the backoff with each failed canary, up to six hours', () => {
    const backoffs = [1, 2, 3, 6, 7, 20].map(
      (failed) => settleCanaries(opened, ...Array<CanaryResult>(failed).fill('failure')).backoffMs / MINUTE,
    );
    expect(backoffs).toEqual([10, 20, 40, 320, 360, 360]);
    const { canary, canaryDueAt } = settleCanaries(opened, 'failure');
    expect([canary, canaryDueAt]).toEqual([undefined, inMs(15 * MINUTE + 1_000)]);
  });

  it('closes after three canaries in a row that left', () => {
    const isClosed = (...results: CanaryResult[]) =>
      settleCanaries(opened, ...results).closedAt !== undefined;
    expect(isClosed('success', 'success')).toBe(false);
    expect(isClosed('success', 'success', 'success')).toBe(true);
    expect(isClosed('success', 'success', 'failure', 'success', 'success')).toBe(false);
    expect(isClosed('success', 'nothing', 'success', 'success')).toBe(true);
  });

  it('sends the next canary at once after one that left or showed nothing', () => {
    expect(settleCanaries(opened, 'success').canaryDueAt).toEqual(inMs(5 * MINUTE + 1_000));
    expect(settleCanaries(opened, 'nothing').canaryDueAt).toEqual(inMs(5 * MINUTE + 1_000));
  });

  it('counts a canary without a result for ten minutes as failed', () => {
    const claimed = leaseCanary(opened, 'a', inMs(5 * MINUTE)) ?? opened;
    expect(expireCanary(claimed, inMs(15 * MINUTE - 1))).toBe(claimed);
    expect(expireCanary(claimed, inMs(15 * MINUTE))).toMatchObject({ backoffMs: 10 * MINUTE, successes: 0 });
    expect(expireCanary(claimed, inMs(15 * MINUTE)).canary).toBeUndefined();
    expect(expireCanary(opened, inMs(24 * HOUR))).toBe(opened);
  });

  it('goes on with the backoff when it opens again within a day', () => {
    const closed = settleCanaries(opened, 'failure', 'success', 'success', 'success');
    const closedAt = closed.closedAt ?? NOW;
    expect(closed.backoffMs).toBe(10 * MINUTE);
    expect(openBreaker(closed, 'silence', inMs(24 * HOUR, closedAt)).backoffMs).toBe(20 * MINUTE);
    expect(openBreaker(closed, 'silence', inMs(24 * HOUR + 1, closedAt)).backoffMs).toBe(5 * MINUTE);
    expect(leaseCanary(closed, 'a', inMs(24 * HOUR))).toBeUndefined();
  });
});
