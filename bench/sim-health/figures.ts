import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/common/durations';
import {
  NEW_SIM_HEALTH,
  type Outcome,
  recordOutcomes,
  type SimHealth,
} from '../../src/devices/sims/health/sim-health';
import { type Block, type Traffic, TrafficGenerator } from './traffic';

export type { Block };

const FIRST_DAY = Date.UTC(2026, 0, 1) / DAY_MS;

/** Outcomes within this time are recorded as one batch. */
const BATCH_MS = SECOND_MS;

/** A blocked SIM that stays closed for so long counts as not noticed. */
const MAX_BLOCKED_MS = 60 * DAY_MS;

export interface Detection {
  /** From the first blocked message on. Infinity if the breaker did not open. */
  readonly minutes: number;
  /** Blocked messages until then. */
  readonly messages: number;
}

/** How often the breaker opens in ordinary traffic. */
export function countFalseAlarms(traffic: Traffic, seed: number, days = 365): number {
  const generator = new TrafficGenerator(traffic, seed);
  let health = NEW_SIM_HEALTH;
  let alarms = 0;
  for (let day = FIRST_DAY; day < FIRST_DAY + days; day++) {
    for (const batch of batches(generator.day(day))) {
      const next = recordBatch(health, batch);
      if (next.breaker?.openedAt !== health.breaker?.openedAt) alarms++;
      health = next;
    }
  }
  return alarms;
}

/**
 * How long a block stays unnoticed that begins after 30 ordinary days.
 * @param gapMs time between messages, as in a campaign; absent: as on an evenly busy day.
 */
export function measureDetection(
  traffic: Traffic,
  block: Block,
  seed: number,
  { gapMs }: { gapMs?: number } = {},
): Detection {
  const generator = new TrafficGenerator(traffic, seed);
  let health = NEW_SIM_HEALTH;
  for (let day = 0; day < 30; day++) {
    for (const batch of batches(generator.day(FIRST_DAY + day))) health = recordBatch(health, batch);
  }
  // A breaker that happens to be open would not open again.
  if (health.breaker && !health.breaker.closedAt) health = { ...health, breaker: undefined };
  const openings = health.breaker?.openedAt;
  const start = (FIRST_DAY + 30) * DAY_MS + 11 * HOUR_MS;
  let messages = 0;
  for (let time = start; time < start + MAX_BLOCKED_MS; time = nextTime(time, gapMs ?? generator.gapMs())) {
    messages++;
    health = recordOutcomes(health, generator.blockedMessage(time, block), new Date(time));
    if (health.breaker?.openedAt !== openings) return { minutes: (time - start) / MINUTE_MS, messages };
  }
  return { minutes: Infinity, messages };
}

/** Skips the night, in which nothing is sent. */
function nextTime(time: number, gapMs: number): number {
  const next = time + gapMs;
  const [opens, closes] = [7 * HOUR_MS, 22 * HOUR_MS];
  return next % DAY_MS < opens || next % DAY_MS >= closes ? next + DAY_MS - (closes - opens) : next;
}

function recordBatch(health: SimHealth, batch: readonly Outcome[]): SimHealth {
  const last = batch.at(-1);
  return last ? recordOutcomes(health, batch, last.at) : health;
}

function* batches(outcomes: readonly Outcome[]): Generator<readonly Outcome[]> {
  let start = 0;
  for (let end = 1; end <= outcomes.length; end++) {
    const [first, next] = [outcomes[start], outcomes[end]];
    if (first && next && next.at.getTime() - first.at.getTime() < BATCH_MS) continue;
    yield outcomes.slice(start, end);
    start = end;
  }
}
