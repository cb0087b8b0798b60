import fc from 'fast-check';
import { Types } from 'mongoose';
import { groupBy } from '../../../common/group-by';
import { limitsOf } from '../../../devices/sims/choose-phone-sim';
import { UsageState, type Wait } from '../../../devices/sims/limits/usage-state';
import type { SimUsage } from '../../../devices/sims/schemas/sim-usage.schema';
import { type SimLimits, SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { forecastHeld, type ForecastMessage } from './held-forecast';

const NOW = Date.parse('2026-03-28T22:30:00Z');
const HOUR = 3_600_000;

const MAX_PERIODS = 1_000;

/** The rule, message by message: each is decided on again in each period that it waits for. */
function expectedHeld(
  { limits: all }: Pick<SimRecord, 'limits'>,
  usage: SimUsage | undefined,
  messages: readonly ForecastMessage[],
  now: number,
): Map<ForecastMessage, Wait> {
  const held = new Map<ForecastMessage, Wait>();
  const { partsPerMinute: _, ...limits } = limitsOf({ limits: all }) ?? {};
  if (!limitsOf({ limits })) return held;
  const byTime = groupBy(messages, ({ dueAt }) => Math.max(dueAt, now));
  let current = usage ?? ({ reservations: [] } as unknown as SimUsage);
  for (let period = 0; byTime.size > 0 && period < MAX_PERIODS + byTime.size; period++) {
    const at = Math.min(...byTime.keys());
    const due = byTime.get(at) ?? [];
    byTime.delete(at);
    const state = new UsageState(current, limits, at);
    for (const message of due) {
      const wait = state.waitOf(1, message.recipient);
      if (!wait) {
        state.count(1, message.recipient);
        continue;
      }
      held.set(message, wait);
      byTime.set(wait.until, [...(byTime.get(wait.until) ?? []), message]);
    }
    current = { ...current, ...state.toStored() };
  }
  return held;
}

function resultOf<Result>(steps: Generator<undefined, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const limit = fc.integer({ min: 1, max: 4 });
const LIMITS: fc.Arbitrary<SimLimits> = fc.record(
  {
    messagesPerHour: limit,
    messagesPerDay: fc.integer({ min: 1, max: 8 }),
    messagesPerMonth: fc.integer({ min: 1, max: 20 }),
    recipientsPerMonth: limit,
    partsPerMinute: limit,
    // Its clock is changed in the night after `NOW`.
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
    monthStartsOn: fc.constantFrom(1, 29, 31),
  },
  { requiredKeys: [] },
);
const MESSAGES = fc.array(
  fc.record({
    // Also at the very ends of hours, days and months.
    dueAt: fc.oneof(
      fc.constant(NOW),
      fc.integer({ min: -3, max: 100 }).map((hours) => NOW + HOUR / 2 + hours * HOUR),
      fc.integer({ min: -HOUR, max: 100 * HOUR }).map((ms) => NOW + ms),
    ),
    recipient: fc.integer({ min: 0, max: 6 }).map(String),
  }),
  { maxLength: 40 },
);
const USAGE = fc.option(
  fc.record({
    hour: fc.nat(3),
    day: fc.nat(5),
    month: fc.nat(10),
    recipients: fc.dictionary(fc.integer({ min: 0, max: 6 }).map(String), limit, { maxKeys: 3 }),
    // The clock may have been set back since.
    usedAt: fc.integer({ min: -30, max: 30 }).map((hours) => NOW + hours * HOUR),
  }),
  { nil: undefined },
);

describe('what the limits of a SIM hold back', () => {
  it('is what deciding on each message again in each period would tell', () => {
    let waited = 0;
    fc.assert(
      fc.property(LIMITS, MESSAGES, USAGE, (limits, messages, used) => {
        const sim = Object.assign(new SimRecord(), { _id: new Types.ObjectId(), limits });
        let usage: SimUsage | undefined;
        if (used) {
          const { usedAt, recipients } = used;
          const { hour, day, month } = new UsageState(undefined, limits, usedAt).toStored();
          const counted = (period: typeof hour, count: number) => period && { ...period, count };
          usage = {
            reservations: [],
            hour: counted(hour, used.hour),
            day: counted(day, used.day),
            month: counted(month, used.month),
            recipients,
          } as unknown as SimUsage;
        }
        const { held, isComplete } = resultOf(forecastHeld(sim, usage, messages, NOW));
        const expected = expectedHeld(sim, usage, messages, NOW);
        expect([...held]).toEqual([...expected]);
        expect(isComplete).toBe(true);
        waited += held.size;
      }),
      { numRuns: 500 },
    );
    expect(waited).toBeGreaterThan(1_000);
  });

  it('ends as early as the rule does, however long it would take', () => {
    const sim = Object.assign(new SimRecord(), { _id: new Types.ObjectId(), limits: { messagesPerHour: 1 } });
    const messages = Array.from({ length: 1_200 }, (_, index) => ({ dueAt: NOW, recipient: String(index) }));
    const { held } = resultOf(forecastHeld(sim, undefined, messages, NOW));
    expect([...held.values()]).toEqual([...expectedHeld(sim, undefined, messages, NOW).values()]);
  });
});
