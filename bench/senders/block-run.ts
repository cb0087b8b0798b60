import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../../src/common/durations';
import { eventually } from '../../test/support/eventually';
import { recipientOf, TEXT } from '../documents';
import { measuredCurve, type Point } from './figures';
import { drawTimePlot } from './plot';
import { type PoolSim, SenderPool } from './sender-pool';
import type { Service } from './service';

const SIMS = 5;
/** What Android allows. */
const PARTS_PER_MINUTE = 24;
const CAMPAIGN_MINUTES = 3;
const BLOCKED_AFTER_MS = MINUTE_MS;
const MAX_MINUTES = 6;
const CHECK_INTERVAL_MS = 250;

export interface BlockResult {
  readonly messages: number;
  readonly sims: number;
  readonly partsPerMinute: number;
  /** From the block to the opening. */
  readonly minutes: number;
  /** Messages that the blocked SIM was given until then. */
  readonly blockedMessages: number;
  /** Messages that the blocked SIM failed in all. */
  readonly failedMessages: number;
  /** Messages that other SIMs sent. */
  readonly sentByOthers: number;
  readonly picture: string;
}

/** Sends a campaign by five SIMs, has the carrier block one of them, and waits for its breaker and for the other messages. */
export async function runBlock(service: Service, log: (text: string) => void): Promise<BlockResult> {
  const pool = await SenderPool.start(service, {
    name: 'block',
    sims: SIMS,
    simsPerPhone: 1,
    partsPerMinute: () => PARTS_PER_MINUTE,
    airTimeShare: 0,
  });
  try {
    const messages = SIMS * PARTS_PER_MINUTE * CAMPAIGN_MINUTES;
    const recipients = Array.from({ length: messages }, (_, index) => recipientOf(index));
    const startedAt = Date.now();
    await service.call('POST', 'send-sms', { poolId: pool.id, message: TEXT, recipients });
    await sleep(BLOCKED_AFTER_MS);
    const blocked = pool.sims[0];
    if (!blocked) throw new Error('The pool has no SIM');
    const blockedAt = Date.now();
    blocked.phone.sim(blocked.subscriptionId).carrier.block = 'fail';
    const openedAt = await openingOf(service, blocked);
    const isBefore = ({ lastAt }: { lastAt: number }) => lastAt <= openedAt;
    const given = pool.events.filter(({ sim, lastAt }) => sim === blocked && lastAt > blockedAt);
    log(
      `block: opened after ${(openedAt - blockedAt) / SECOND_MS} s and ${given.filter(isBefore).length} messages`,
    );
    await eventually(
      () => new Set(pool.events.map(({ recipient }) => recipient)).size,
      (attempted) => attempted >= messages,
      MAX_MINUTES * MINUTE_MS,
    );
    const endedAt = Math.max(...pool.events.map(({ lastAt }) => lastAt));
    const curveOf = (sim: PoolSim, isFailed: boolean): Point[] => {
      const events = pool.events.filter((event) => event.sim === sim && event.isFailed === isFailed);
      const times = events.map(({ lastAt }) => lastAt);
      return [...measuredCurve(times, startedAt), [(endedAt - startedAt) / SECOND_MS, times.length]];
    };
    return {
      messages,
      sims: SIMS,
      partsPerMinute: PARTS_PER_MINUTE,
      minutes: (openedAt - blockedAt) / MINUTE_MS,
      blockedMessages: given.filter(isBefore).length,
      failedMessages: pool.events.filter(({ isFailed }) => isFailed).length,
      sentByOthers: pool.events.filter(({ sim, isFailed }) => sim !== blocked && !isFailed).length,
      picture: drawTimePlot({
        title: 'The carrier blocks one SIM of five during a campaign',
        subtitle: `${messages} messages, ${PARTS_PER_MINUTE} a minute by each SIM; messages on the air, and failed ones of the blocked SIM`,
        curves: [
          ...pool.sims
            .filter((sim) => sim !== blocked)
            .map((sim) => ({ name: sim.name, points: curveOf(sim, false) })),
          { name: `${blocked.name} (blocked)`, points: curveOf(blocked, false) },
          { name: `${blocked.name}: failed`, points: curveOf(blocked, true).slice(1), isDashed: true },
        ],
        moments: [
          { seconds: (blockedAt - startedAt) / SECOND_MS, name: 'blocked by the carrier' },
          { seconds: (openedAt - startedAt) / SECOND_MS, name: 'breaker opened' },
        ],
      }),
    };
  } finally {
    await pool.stop();
  }
}

/** @returns when the breaker of the SIM opened, in epoch milliseconds. */
async function openingOf(service: Service, { id }: PoolSim): Promise<number> {
  const { health } = await eventually(
    async () => {
      await sleep(CHECK_INTERVAL_MS);
      return service.call<{ health: { state: string; since?: string } }>('GET', `sims/${id}`);
    },
    (sim) => sim.health.state === 'open',
    MAX_MINUTES * MINUTE_MS,
  );
  return Date.parse(health.since ?? '');
}
