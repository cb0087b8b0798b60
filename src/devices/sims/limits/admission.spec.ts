import fc from 'fast-check';
import { Types } from 'mongoose';
import { LimitsOracle } from '../../../../test/support/limits-oracle';
import type { SimLimits } from '../schemas/sim.schema';
import type { SimUsage } from '../schemas/sim-usage.schema';
import { type LimitCandidate, clearFreedRoom, decide, drawParts, releaseUnused } from './admission';
import { type LimitUsage, UsageState } from './usage-state';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = new Date('2026-03-28T22:30:00Z');

const newUsage = (): SimUsage => ({
  _id: new Types.ObjectId(),
  user: new Types.ObjectId(),
  version: new Types.ObjectId(),
  reservations: [],
});
const candidate = (recipient = 'r', parts = 1): LimitCandidate => ({
  id: new Types.ObjectId(),
  parts,
  recipient,
});
const candidates = (count: number) => Array.from({ length: count }, (_, n) => candidate(`r${n}`));
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe('decide', () => {
  const claim = new Types.ObjectId();

  it('admits what fits, in order, and tells when the others can leave', () => {
    const all = candidates(5);
    const limits = { messagesPerHour: 3, timeZone: 'Europe/Berlin' };
    const { admitted, waiting, usage } = decide(newUsage(), limits, all, claim, NOW);
    expect(admitted).toEqual(all.slice(0, 3));
    const until = new Date('2026-03-28T23:00:00Z');
    expect(waiting).toEqual(all.slice(3).map(({ id }) => ({ id, reason: 'messages_per_hour', until })));
    expect(usage).toMatchObject({
      hour: { count: 3 },
      day: { count: 3 },
      month: { count: 3 },
      heldUntil: until,
    });
    expect(usage.reservations).toEqual([
      { id: claim, at: NOW, messages: all.slice(0, 3).map(({ id }) => ({ id })) },
    ]);
    expect(usage.dueAt).toEqual(later(MINUTE));
  });

  it('waits for the full period that ends last', () => {
    const limits = { messagesPerHour: 1, messagesPerDay: 1, messagesPerMonth: 5 };
    const { waiting } = decide(newUsage(), limits, candidates(2), claim, NOW);
    expect(waiting).toMatchObject([{ reason: 'messages_per_day', until: new Date('2026-03-29T00:00:00Z') }]);
  });

  it('lets known recipients pass those beyond the limit', () => {
    const [known, other, again] = [candidate('a'), candidate('b'), candidate('a')];
    const { admitted, waiting } = decide(
      newUsage(),
      { recipientsPerMonth: 1 },
      [known, other, again],
      claim,
      NOW,
    );
    expect(admitted).toEqual([known, again]);
    expect(waiting).toMatchObject([{ id: other.id, reason: 'recipients_per_month' }]);
  });

  it('leaves at the pace of the bucket, a longer text when it is full', () => {
    const all = [candidate('a', 4), candidate('b', 3), candidate('c', 9), candidate('d')];
    const { admitted, waiting } = decide(newUsage(), { partsPerMinute: 24 }, all, claim, NOW);
    expect(admitted).toEqual(all.slice(0, 1));
    // Two of six tokens are left: one more after 2.5 s; full after 17.5 s; one token again 10 s after nine parts of it.
    expect(waiting.map(({ until }) => until.getTime() - NOW.getTime())).toEqual([2_500, 17_500, 27_500]);
  });

  it('leaves parts to an urgent message that waits for them, and exceeds no limit for it', () => {
    const limits = { partsPerMinute: 24, messagesPerDay: 9 };
    const urgent = { ...candidate('u'), isUrgent: true };
    const campaign = decide(newUsage(), limits, candidates(8), claim, NOW).usage;
    const first = decide(campaign, limits, [urgent], claim, NOW);
    expect(first.waiting).toEqual([{ id: urgent.id, reason: 'parts_per_minute', until: later(2_500) }]);
    // The campaign is asked first when a part is there.
    const second = decide(first.usage, limits, candidates(2), claim, later(2_500));
    expect(second.admitted).toEqual([]);
    expect(second.waiting).toMatchObject([{ until: later(4_500) }, {}]);
    const third = decide(second.usage, limits, [urgent], claim, later(2_500));
    expect(third.admitted).toEqual([urgent]);
    // Then two more are there, and the day has room for two.
    const last = decide(third.usage, limits, candidates(3), claim, later(7_500));
    expect(last.admitted).toHaveLength(2);
    expect(last.waiting).toMatchObject([{ reason: 'messages_per_day' }]);
    expect(decide(last.usage, limits, [urgent], claim, later(9_000)).waiting).toMatchObject([
      { reason: 'messages_per_day' },
    ]);
  });

  it('changes nothing if no message leaves and none waits longer', () => {
    const limits = { messagesPerDay: 1 };
    const first = decide(newUsage(), limits, candidates(2), claim, NOW);
    expect(decide(first.usage, limits, candidates(2), claim, NOW).usage).toBe(first.usage);
    expect(decide(newUsage(), {}, [], claim, NOW).usage.reservations).toEqual([]);
  });

  it('counts for the later period after the clock was set back', () => {
    const limits = { messagesPerHour: 2 };
    const { usage } = decide(newUsage(), limits, candidates(1), claim, NOW);
    const { admitted, waiting } = decide(usage, limits, candidates(2), claim, later(-2 * HOUR));
    expect(admitted).toHaveLength(1);
    expect(waiting).toMatchObject([{ until: new Date('2026-03-28T23:00:00Z') }]);
  });
});

describe('releaseUnused', () => {
  const limits = { messagesPerDay: 2, recipientsPerMonth: 2 };
  const claim = new Types.ObjectId();
  const all = candidates(3);
  const { usage } = decide(newUsage(), limits, all, claim, NOW);

  it('ends a reservation, once', () => {
    const settled = releaseUnused(usage, claim, () => true, later(1));
    expect(settled).toMatchObject({ reservations: [], day: { count: 2 }, recipients: { r0: 1, r1: 1 } });
    expect(settled).not.toHaveProperty('dueAt');
    expect(releaseUnused(settled, claim, () => false, later(2))).toBe(settled);
  });

  it('frees the room of messages that did not leave, and has those that wait reviewed', () => {
    const settled = releaseUnused(usage, claim, ({ id }) => id.equals(all[0]?.id), later(1));
    expect(settled).toMatchObject({
      day: { count: 1 },
      recipients: { r0: 1 },
      hasFreedRoom: true,
      dueAt: later(1),
    });
    expect(clearFreedRoom(settled, later(2))).not.toHaveProperty('dueAt');
  });

  it('frees nothing in a period that has ended', () => {
    const next = decide(usage, limits, candidates(1), new Types.ObjectId(), later(2 * HOUR)).usage;
    const settled = releaseUnused(next, claim, () => false, later(2 * HOUR));
    expect(settled).toMatchObject({ day: { count: 1 }, month: { count: 1 } });
  });
});

describe('the summary of a usage', () => {
  const summaryOf = (usage: SimUsage | undefined, limits: SimLimits, now = NOW) =>
    new UsageState(usage, limits, now.getTime()).summary();

  it('has the limits that are set', () => {
    const limits = { partsPerMinute: 24, messagesPerMonth: 5, recipientsPerMonth: 9 };
    const { usage } = decide(
      newUsage(),
      limits,
      [candidate('a', 3), candidate('a')],
      new Types.ObjectId(),
      NOW,
    );
    const month: LimitUsage = { used: 2, resetsAt: new Date('2026-04-01T00:00:00Z') };
    expect(summaryOf(usage, limits)).toEqual({
      partsPerMinute: { used: 4, resetsAt: later(10_000) },
      messagesPerMonth: month,
      recipientsPerMonth: { ...month, used: 1 },
    });
    expect(summaryOf(usage, limits, later(5 * DAY))).toEqual({
      partsPerMinute: { used: 0 },
      messagesPerMonth: { used: 0 },
      recipientsPerMonth: { used: 0 },
    });
    expect(summaryOf(drawParts(usage, 24, 20, NOW), limits)).toMatchObject({ partsPerMinute: { used: 24 } });
    expect(summaryOf(undefined, { messagesPerDay: 1 })).toEqual({ messagesPerDay: { used: 0 } });
  });
});

const limitsArb: fc.Arbitrary<SimLimits> = fc.record(
  {
    partsPerMinute: fc.integer({ min: 1, max: 100 }),
    messagesPerHour: fc.integer({ min: 1, max: 6 }),
    messagesPerDay: fc.integer({ min: 1, max: 12 }),
    messagesPerMonth: fc.integer({ min: 1, max: 25 }),
    recipientsPerMonth: fc.integer({ min: 1, max: 4 }),
    monthStartsOn: fc.integer({ min: 1, max: 31 }),
    timeZone: fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Africa/Cairo',
      'Pacific/Apia',
    ),
  },
  { requiredKeys: [] },
);

const eventArb = fc.record({
  /** Mostly forward; sometimes the clock is set back. */
  elapsed: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 2 * MINUTE }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 * HOUR }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20 * DAY }) },
    { weight: 1, arbitrary: fc.integer({ min: -3 * HOUR, max: 0 }) },
  ),
  arrivals: fc.array(
    fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
    {
      maxLength: 6,
    },
  ),
  /** Which of the admitted messages turn out not to have left. */
  freed: fc.array(fc.nat(5), { maxLength: 2 }),
});

const planArb = fc.record({
  limits: limitsArb,
  start: fc.constantFrom(
    '2026-03-28T22:00:00Z', // Europe springs forward
    '2026-10-24T22:00:00Z', // and back
    '2026-04-04T13:00:00Z', // Lord Howe, by half an hour
    '2026-04-23T20:00:00Z', // Cairo, at midnight
    '2011-12-29T20:00:00Z', // Samoa leaves a day out
    '2028-02-28T12:00:00Z',
    '2026-01-30T23:00:00Z',
  ),
  events: fc.array(eventArb, { minLength: 1, maxLength: 12 }),
});

describe('limits over time', () => {
  /** How far the bucket, whose state is a fraction of a millisecond, may deviate. */
  const TOLERANCE_MS = 2;
  const MAX_TURNS_PER_EVENT = 5;
  /** The time in which the bucket of any pace fills. */
  const MAX_BURST_MS = MINUTE;

  it('are never exceeded, and nothing waits that could leave', () => {
    fc.assert(
      fc.property(planArb, ({ limits, start, events }) => {
        const oracle = new LimitsOracle(limits);
        let usage = newUsage();
        let waiting: { message: LimitCandidate; until: number }[] = [];
        let time = Date.parse(start);

        const turn = (due: LimitCandidate[], freed: readonly number[]) => {
          const now = new Date(time);
          const claim = new Types.ObjectId();
          const decision = decide(usage, limits, due, claim, now);
          ({ usage } = decision);
          expect(decision.admitted.length + decision.waiting.length).toBe(due.length);
          const left = decision.admitted.map(({ parts, recipient }) => {
            const early =
              oracle.mayLeave(parts, recipient, time) || oracle.mayLeave(parts, recipient, time + 1);
            expect(early).toBe(true);
            return oracle.record(parts, recipient, time);
          });
          let isQueued = false;
          for (const { id, reason, until } of decision.waiting) {
            const message = due.find((each) => each.id === id);
            if (!message) throw new Error('A message waits that is not due');
            waiting.push({ message, until: until.getTime() });
            const { parts, recipient } = message;
            expect(until.getTime()).toBeGreaterThan(time);
            const end = until.getTime() - TOLERANCE_MS;
            const samples = [0, 0.01, 0.1, 0.5, 0.9, 0.999, 1].map((share) =>
              Math.floor(time + (end - time) * share),
            );
            const could = samples.filter((each) => each >= time && oracle.mayLeave(parts, recipient, each));
            if (reason !== 'parts_per_minute') {
              expect(could).toEqual([]);
              expect(oracle.hasRoom(recipient, until.getTime())).toBe(true);
            } else if (!isQueued) {
              isQueued = true;
              if (end >= time) expect(could).toEqual([]);
              // After a clock was set back, a debt counts for an hour at most, and is looked at again then.
              const isBounded = until.getTime() - time >= HOUR - MAX_BURST_MS;
              expect(isBounded || oracle.hasParts(parts, until.getTime() + TOLERANCE_MS)).toBe(true);
            }
          }
          usage = releaseUnused(
            usage,
            claim,
            ({ id }) => !freed.some((each) => decision.admitted[each]?.id === id),
            now,
          );
          for (const each of freed) {
            const entry = left[each];
            if (entry) entry.isFreed = true;
          }
          if (!usage.hasFreedRoom) return;
          usage = clearFreedRoom(usage, now);
          waiting = waiting.map(({ message }) => ({ message, until: time }));
        };
        const takeDue = () => {
          const due = waiting.filter(({ until }) => until <= time);
          waiting = waiting.filter(({ until }) => until > time);
          return due.map(({ message }) => message);
        };

        for (const { elapsed, arrivals, freed } of events) {
          const end = time + elapsed;
          for (let turns = 0; turns < MAX_TURNS_PER_EVENT; turns++) {
            const next = Math.min(...waiting.map(({ until }) => until));
            if (next > end) break;
            time = Math.max(time, next);
            turn(takeDue(), []);
          }
          time = end;
          turn([...takeDue(), ...arrivals.map(([parts, recipient]) => candidate(recipient, parts))], freed);
        }
      }),
      { numRuns: 400 },
    );
  });
});
