import fc from 'fast-check';
import { mongo } from 'mongoose';
import { breakerState, leaseCanary } from './breaker';
import {
  healthDueAt,
  NEW_SIM_HEALTH,
  type Outcome,
  recordOutcomes,
  type SimHealth,
  summarizeHealth,
} from './sim-health';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const START = new Date('2026-03-01T12:00:00Z');
const inMs = (ms: number, from = START) => new Date(from.getTime() + ms);

const times = (count: number, outcome: (index: number) => Outcome | Outcome[]) =>
  Array.from({ length: count }, (_, index) => outcome(index)).flat();
const at = (ms: number, kind: Outcome['kind'], recipient: string, code?: string): Outcome => ({
  kind,
  at: inMs(ms),
  recipient,
  ...(code !== undefined && { code }),
});
const record = (health: SimHealth, outcomes: Outcome[]) =>
  recordOutcomes(health, outcomes, outcomes.at(-1)?.at ?? START);
const stateOf = (health: SimHealth, ms: number) => breakerState(health.breaker, inMs(ms));

/** A month of messages, one an hour, each delivered after ten seconds. */
const WORKING = record(
  NEW_SIM_HEALTH,
  times(700, (index) => {
    const sentAt = (index - 701) * 60 * MINUTE;
    return [at(sentAt, 'sent', `r${index}`), at(sentAt + 10 * SECOND, 'delivered', `r${index}`)];
  }),
);

const failures = (count: number, code = '1') =>
  times(count, (index) => at(index * SECOND, 'failed', `r${index}`, code));

/** Open since 13 s after the start. */
const FAILING = record(WORKING, failures(14));

/** One message every 10 s, all of them sent, none delivered; open before the 60th. */
const SILENT = record(
  WORKING,
  times(60, (index) => at(index * 10 * SECOND, 'sent', `s${index}`)),
);
const openedMs = (SILENT.breaker?.openedAt.getTime() ?? 0) - START.getTime();

describe('recordOutcomes', () => {
  it('opens the breaker when every message fails', () => {
    expect(stateOf(record(WORKING, failures(13)), MINUTE)).toBe('closed');
    expect(FAILING.breaker).toMatchObject({ kind: 'failures', openedAt: inMs(13 * SECOND) });
    expect(record(NEW_SIM_HEALTH, failures(14)).breaker?.kind).toBe('failures');
  });

  it.each([
    '0',
    '3',
    '7',
    '8',
    '18',
    'CANCELLED',
    'DEVICE_DISABLED',
    'PUSH_UNAVAILABLE',
    'EXPIRED',
    'PHONE_UNREACHABLE',
  ])('ignores failures with code %s', (code) => {
    expect(record(WORKING, failures(100, code))).toEqual(recordOutcomes(WORKING, [], inMs(99 * SECOND)));
  });

  it.each(['1', '2', '4', '5', '17', '122', 'PERMISSION_DENIED', 'SENDING_EXCEPTION', 'NEWER_CODE'])(
    'counts failures with code %s',
    (code) => {
      expect(record(WORKING, failures(14, code)).breaker?.kind).toBe('failures');
    },
  );

  it('opens the breaker when messages are sent and no longer delivered', () => {
    expect(SILENT.breaker).toMatchObject({ kind: 'silence' });
    expect(openedMs).toBeGreaterThan(5 * MINUTE);
    expect(openedMs).toBeLessThan(10 * MINUTE);
  });

  it('does not miss deliveries that were never reported', () => {
    const sent = times(2_000, (index) => at(index * 10 * SECOND, 'sent', `s${index}`));
    expect(record(NEW_SIM_HEALTH, sent).breaker).toBeUndefined();
  });

  it('does not count negative delivery reports', () => {
    const undelivered = times(200, (index) => [
      at(index * 10 * SECOND, 'sent', `s${index}`),
      at(index * 10 * SECOND + 1, 'undelivered', `s${index}`),
    ]);
    expect(record(WORKING, undelivered).breaker).toBeUndefined();
  });

  it('counts missing deliveries without a further message', () => {
    const sent = times(30, (index) => at(index * 10 * SECOND, 'sent', `s${index}`));
    const before = record(WORKING, sent);
    expect(before.breaker).toBeUndefined();
    expect(recordOutcomes(before, [], inMs(DAY)).breaker?.kind).toBe('silence');
  });

  it('has a failure rate that starts at 2 % and follows the latest messages', () => {
    const rate = (health: SimHealth) => summarizeHealth(health, START).failureRate;
    expect(rate(NEW_SIM_HEALTH)).toBe(0.02);
    expect(rate(record(NEW_SIM_HEALTH, failures(1)))).toBeCloseTo(2 / 51);
    expect(rate(WORKING)).toBeLessThan(0.005);
    expect(rate(record(WORKING, failures(5_000)))).toBeGreaterThan(0.99);
  });

  it('gives the same result for a batch, in any order, as for its outcomes one by one', () => {
    const outcome = fc.record({
      kind: fc.constantFrom<Outcome['kind'][]>(
        'sent',
        'sent',
        'delivered',
        'undelivered',
        'failed',
        'failed',
      ),
      at: fc.integer({ min: 0, max: 2 * 60 * MINUTE }).map((ms) => inMs(ms)),
      recipient: fc.stringMatching(/^[a-z][a-c]$/),
      code: fc.constantFrom('1', '4', '7', undefined),
    });
    const byTime = (outcomes: Outcome[]) => outcomes.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    fc.assert(
      fc.property(
        fc.uniqueArray(outcome, { maxLength: 150, selector: (each) => each.at.getTime() }),
        fc.constantFrom(NEW_SIM_HEALTH, WORKING, FAILING, SILENT),
        (outcomes, start) => {
          const ordered = byTime(outcomes);
          const oneByOne = ordered.reduce((health, each) => recordOutcomes(health, [each], each.at), start);
          const atOnce = recordOutcomes(start, outcomes, ordered.at(-1)?.at ?? START);
          expect(atOnce).toEqual(ordered.length > 0 ? oneByOne : recordOutcomes(start, [], START));
          expect(atOnce.awaited.length).toBeLessThanOrEqual(64);
          const { state, failureRate } = summarizeHealth(atOnce, START);
          expect(failureRate >= 0 && failureRate <= 1).toBe(true);
          expect(state === 'closed').toBe(!atOnce.breaker || atOnce.breaker.closedAt !== undefined);
        },
      ),
    );
  });

  it('is stored in 6 kB, with keys of eight bytes in base64', () => {
    const keys = Array.from({ length: 64 }, (_, index) => String(index).padStart(11, '0'));
    const health: SimHealth = {
      ...FAILING,
      failing: { score: 1.5, recipients: keys.slice(32) },
      silent: { score: 1.5, recipients: keys.slice(32) },
      awaited: keys.map((recipient) => ({ recipient, sentAt: START, isDelivered: false })),
    };
    expect(mongo.BSON.calculateObjectSize(health)).toBeLessThan(6_000);
  });
});

describe('an open breaker', () => {
  const DUE = 5 * MINUTE + 13 * SECOND;

  /** Claims a canary for each recipient when it is due, and records what becomes of it a minute later. */
  function sendCanaries(
    health: SimHealth,
    kinds: readonly (readonly Outcome['kind'][])[],
    code = '1',
  ): SimHealth {
    return kinds.reduce((current, outcomes, index) => {
      const { breaker } = current;
      const claimed = breaker && leaseCanary(breaker, `canary ${index}`, breaker.canaryDueAt);
      if (!claimed) throw new Error('no canary is due');
      const recorded = outcomes.map((kind, step) => ({
        kind,
        at: inMs(MINUTE + step, breaker.canaryDueAt),
        recipient: `canary ${index}`,
        code,
      }));
      return record({ ...current, breaker: claimed }, recorded);
    }, health);
  }

  it('closes after three canaries that are sent', () => {
    const closed = sendCanaries(FAILING, [['sent'], ['sent', 'delivered'], ['sent']]);
    expect(summarizeHealth(closed, inMs(DAY))).toMatchObject({
      state: 'closed',
      since: inMs(DUE + 3 * MINUTE),
    });
    expect(record(closed, [at(DAY, 'failed', 'r', '1')]).breaker?.closedAt).toBeDefined();
  });

  it('stays open after a canary that fails', () => {
    const { breaker } = sendCanaries(FAILING, [['sent'], ['sent'], ['failed']]);
    expect(breaker).toMatchObject({ successes: 0, backoffMs: 10 * MINUTE });
  });

  it('waits for the delivery of a canary after silence', () => {
    const { breaker } = sendCanaries(SILENT, [['sent']]);
    expect(breaker?.canary).toBeDefined();
    expect(recordOutcomes(sendCanaries(SILENT, [['sent']]), [], inMs(DAY)).breaker).toMatchObject({
      successes: 0,
      backoffMs: 10 * MINUTE,
    });
    const delivered = [['sent', 'delivered'], ['sent', 'delivered'], ['delivered']] as const;
    expect(sendCanaries(SILENT, delivered).breaker?.closedAt).toBeDefined();
  });

  it('sends another canary if the recipient was the cause', () => {
    expect(sendCanaries(FAILING, [['failed']], '7').breaker).toMatchObject({
      backoffMs: 5 * MINUTE,
      canaryDueAt: inMs(DUE + MINUTE),
    });
    expect(sendCanaries(SILENT, [['sent', 'undelivered']]).breaker?.canary).toBeUndefined();
  });

  it('is unchanged by messages that left before it opened', () => {
    const late = [
      at(MINUTE, 'failed', 'late', '1'),
      at(2 * MINUTE, 'sent', 'late'),
      at(2 * DAY, 'delivered', 'late'),
    ];
    expect(record(FAILING, late).breaker).toEqual(FAILING.breaker);
    const claimed = FAILING.breaker && leaseCanary(FAILING.breaker, 'canary', inMs(DUE));
    const probing = { ...FAILING, breaker: claimed };
    expect(record(probing, [at(DUE + MINUTE, 'sent', 'late')]).breaker).toEqual(claimed);
  });

  it('takes messages that leave without a claim as canaries, once they are due', () => {
    const named = times(3, (index) => at(DUE + index * SECOND, 'sent', 'named'));
    expect(record(FAILING, named).breaker?.closedAt).toEqual(inMs(DUE + 2 * SECOND));
    const silent = times(3, (index) => [
      at(openedMs + DUE + index * MINUTE, 'sent', 'named'),
      at(openedMs + DUE + index * MINUTE + SECOND, 'delivered', 'named'),
    ]);
    expect(record(SILENT, silent).breaker?.closedAt).toBeDefined();
  });

  it('opens again at the next block', () => {
    const closed = sendCanaries(FAILING, [['sent'], ['sent'], ['sent']]);
    const again = record(
      closed,
      times(14, (index) => at(60 * MINUTE + index * SECOND, 'failed', `again ${index}`, '1')),
    );
    expect(again.breaker).toMatchObject({
      openedAt: inMs(60 * MINUTE + 13 * SECOND),
      backoffMs: 10 * MINUTE,
    });
  });
});

describe('healthDueAt', () => {
  it('is when the oldest delivery or the canary times out', () => {
    expect(healthDueAt(NEW_SIM_HEALTH)).toBeUndefined();
    const sent = record(NEW_SIM_HEALTH, [at(0, 'sent', 'a'), at(SECOND, 'sent', 'b')]);
    expect(healthDueAt(sent)).toEqual(inMs(5 * MINUTE));
    expect(healthDueAt(recordOutcomes(sent, [], inMs(5 * MINUTE)))).toEqual(inMs(5 * MINUTE + SECOND));
    expect(healthDueAt(FAILING)).toBeUndefined();
    const claimed = FAILING.breaker && leaseCanary(FAILING.breaker, 'canary', inMs(6 * MINUTE));
    expect(healthDueAt({ ...FAILING, breaker: claimed })).toEqual(inMs(16 * MINUTE));
  });
});

describe('summarizeHealth', () => {
  it('tells when the SIM may take its next message', () => {
    for (const health of [undefined, NEW_SIM_HEALTH])
      expect(summarizeHealth(health, START)).toEqual({ state: 'closed', failureRate: 0.02 });
    expect(summarizeHealth(FAILING, inMs(MINUTE))).toEqual({
      state: 'open',
      failureRate: FAILING.failures.mean,
      since: inMs(13 * SECOND),
      kind: 'failures',
      canaryDueAt: inMs(5 * MINUTE + 13 * SECOND),
    });
    const claimed = FAILING.breaker && leaseCanary(FAILING.breaker, 'canary', inMs(6 * MINUTE));
    const probing = summarizeHealth({ ...FAILING, breaker: claimed }, inMs(7 * MINUTE));
    expect(probing).toMatchObject({ state: 'half-open' });
    expect(probing).not.toHaveProperty('canaryDueAt');
  });
});
