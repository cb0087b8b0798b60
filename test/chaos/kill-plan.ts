import type { Chance } from './chance';

/** What can happen to the processes of an installation, and to a phone. */
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
  'database front',
  'database away while all are asked to stop',
  'Redis away while all are asked to stop',
  'everything',
] as const;
export type Kill = (typeof KILLS)[number];

export interface PlannedKill {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly kill: Kill;
  /** How long until what was killed is started again. */
  readonly downMs: number;
}

/** How often each is in the deck the rounds are dealt from. */
const WEIGHTS: Partial<Record<Kill, number>> = { api: 2, worker: 4, 'Redis with its data': 2 };
const PER_ROUND = 5;
const MAX_DOWN_MS = 3_000;
const LONG_DOWN_RATE = 0.2;
/** Longer than a client waits for the database, than a send may take to be accepted, and than a webhook runner's lease. */
const LONG_DOWN_MS = { least: 8_000, most: 40_000 } as const;
/** Of what is shared by all processes. */
const MAX_OUTAGE_MS = 15_000;

/**
 * When what is killed: each round is dealt some kills at random moments, from a deck in which each of those possible is
 * at least once.
 */
export function planKills(
  chance: Chance,
  possible: readonly Kill[],
  { rounds, roundMs }: { rounds: number; roundMs: number },
): PlannedKill[] {
  const plan: PlannedKill[] = [];
  let deck: Kill[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let number = 0; number < PER_ROUND; number += 1) {
      if (deck.length === 0) {
        deck = chance.shuffled(possible.flatMap((kill) => Array<Kill>(WEIGHTS[kill] ?? 1).fill(kill)));
      }
      const kill = deck.pop();
      if (kill === undefined) return plan;
      plan.push({
        at: (round + chance.between(0.05, 1)) * roundMs,
        kill,
        downMs: downMsOf(kill, chance),
      });
    }
  }
  return plan.sort((one, other) => one.at - other.at);
}

function downMsOf(kill: Kill, chance: Chance): number {
  if (kill.endsWith('frozen for a while')) return chance.between(LONG_DOWN_MS.least, LONG_DOWN_MS.most);
  const isLong = kill.includes('away while') || chance.happens(LONG_DOWN_RATE);
  return isLong ? chance.between(LONG_DOWN_MS.least, MAX_OUTAGE_MS) : chance.between(0, MAX_DOWN_MS);
}
