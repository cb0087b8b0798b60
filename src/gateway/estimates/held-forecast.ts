import { groupBy } from '../../common/group-by';
import { UsageState, type Wait } from '../../devices/sims/limits/usage-state';
import { limitsOf } from '../../devices/sims/choose-phone-sim';
import type { SimUsage } from '../../devices/sims/sim-usage.schema';
import type { SimRecord } from '../../devices/sims/sim.schema';

/** A message that a SIM is to send. */
export interface ForecastMessage {
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** The hash of the number. */
  readonly recipient: string;
}

/** Periods that are looked at. */
const MAX_PERIODS = 1_000;

/**
 * Forecasts what the limits of a SIM hold back if nothing else is sent: period by period, as `decide` does. The pace is left
 * out; the plan of a send has it.
 * @param now milliseconds since 1970.
 * @returns the messages held back, each with the last limit that it waits for.
 */
export function forecastHeld(
  sim: SimRecord,
  usage: SimUsage | undefined,
  messages: readonly ForecastMessage[],
  now: number,
): Map<ForecastMessage, Wait> {
  const held = new Map<ForecastMessage, Wait>();
  const { partsPerMinute: _, ...limits } = limitsOf(sim) ?? {};
  if (!limitsOf({ limits })) return held;
  const byTime = groupBy(messages, ({ dueAt }) => Math.max(dueAt, now));
  const times = [...byTime.keys()].sort((a, b) => a - b);
  let current = usage ?? { _id: sim._id, user: sim.user, version: sim._id, reservations: [] };
  for (let period = 0; times.length > 0 && period < MAX_PERIODS + byTime.size; period++) {
    const at = times.shift() ?? now;
    const due = byTime.get(at) ?? [];
    byTime.delete(at);
    const state = new UsageState(current, limits, at);
    for (const message of due) {
      // Parts count for the pace only.
      const wait = state.waitOf(1, message.recipient);
      if (!wait) {
        state.count(1, message.recipient);
        continue;
      }
      held.set(message, wait);
      const waiting = byTime.get(wait.until);
      if (waiting) waiting.push(message);
      else {
        byTime.set(wait.until, [message]);
        const later = times.findIndex((time) => time > wait.until);
        times.splice(later < 0 ? times.length : later, 0, wait.until);
      }
    }
    current = { ...current, ...state.toStored() };
  }
  return held;
}
