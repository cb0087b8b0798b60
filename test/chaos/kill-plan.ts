import type { SeededRandom } from './seeded-random';

/** The faults that a run can inject. */
export const KILLS = [
  'api',
  'worker',
  'scheduler',
  'api, asked to stop',
  'worker, asked to stop',
  'scheduler, asked to stop',
  'api, frozen for a while',
  'worker, frozen for a while',
  'phone',
  'Redis with its data',
  'database',
  'database server',
  'database proxy',
  'database away while all are asked to stop',
  'Redis away while all are asked to stop',
  'Redis master',
  'Redis master, frozen for a while',
  'Redis failover',
  'Redis slots moved',
  'database primary',
  'database primary steps down',
  'database answers lost',
  'database without majority',
  'everything',
] as const;
export type Kill = (typeof KILLS)[number];

export interface PlannedKill {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly kill: Kill;
  /** The time until the restart. */
  readonly downMs: number;
}

/** How often each kill is in the deck from which rounds are drawn. */
const WEIGHTS: Partial<Record<Kill, number>> = {
  api: 2,
  worker: 4,
  'Redis with its data': 2,
  'Redis master': 4,
  'Redis master, frozen for a while': 4,
  'Redis failover': 3,
  'Redis slots moved': 3,
  'database primary': 4,
  'database primary steps down': 4,
  'database answers lost': 4,
  'database without majority': 3,
};
const MAX_DOWN_MS = 3_000;
const LONG_DOWN_RATE = 0.2;
/** Exceeds the database timeout, the acceptance timeout and the lease of a webhook runner. */
const LONG_DOWN_MS = { least: 8_000, most: 40_000 } as const;
/** The maximum downtime of the database and Redis. */
const MAX_OUTAGE_MS = 15_000;

/**
 * Plans the kills: each round gets some at random times, drawn from a deck with each supported kill at least once.
 */
export function planKills(
  random: SeededRandom,
  supported: readonly Kill[],
  { rounds, roundMs, killsPerRound }: { rounds: number; roundMs: number; killsPerRound: number },
): PlannedKill[] {
  const plan: PlannedKill[] = [];
  let deck: Kill[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let number = 0; number < killsPerRound; number += 1) {
      if (deck.length === 0) {
        deck = random.shuffle(supported.flatMap((kill) => Array<Kill>(WEIGHTS[kill] ?? 1).fill(kill)));
      }
      const kill = deck.pop();
      if (kill === undefined) return plan;
      plan.push({
        at: (round + random.between(0.05, 1)) * roundMs,
        kill,
        downMs: downtimeOf(kill, random),
      });
    }
  }
  return plan.sort((one, other) => one.at - other.at);
}

function downtimeOf(kill: Kill, random: SeededRandom): number {
  // Longer than until its replica replaces it.
  if (kill === 'Redis master, frozen for a while') return random.between(LONG_DOWN_MS.least, MAX_OUTAGE_MS);
  if (kill.endsWith('frozen for a while')) return random.between(LONG_DOWN_MS.least, LONG_DOWN_MS.most);
  const isLong = kill.includes('away while') || random.happens(LONG_DOWN_RATE);
  return isLong ? random.between(LONG_DOWN_MS.least, MAX_OUTAGE_MS) : random.between(0, MAX_DOWN_MS);
}
