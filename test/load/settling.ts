import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseView, Unsettled } from '../chaos/database-view';
import type { Fleet } from './fleet';
import type { Meter } from './meter';
import type { Operator } from './operator';

const REPLAY_AGAIN_MS = 20_000;
const SETTLE_WITHIN_MS = 240_000;
const CHECK_INTERVAL_MS = 1_000;

/**
 * Waits until nothing moves any more.
 * @returns what has not settled in time, in words; undefined when all has.
 */
export async function untilQuiet(
  view: DatabaseView,
  { fleet, meter, operator }: { fleet: Fleet; meter: Meter; operator: Operator },
  signal: AbortSignal,
): Promise<string | undefined> {
  const end = Date.now() + SETTLE_WITHIN_MS;
  let replayAt = Date.now();
  let calmLooks = 0;
  let left: Unsettled | undefined;
  while (Date.now() < end) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal });
    left = await view.unsettled(fleet.devices);
    const isCalm =
      meter.open === 0 && (await fleet.isIdle()) && Object.values(left).every((count) => count === 0);
    calmLooks = isCalm ? calmLooks + 1 : 0;
    if (calmLooks === 2) return undefined;
    // What was under way when the operator asked for it, and failed after that, is asked for once more.
    const late = await view.lateDeliveries(new Date(Date.now() + REPLAY_AGAIN_MS));
    if (late.length > 0 && Date.now() >= replayAt) {
      replayAt = Date.now() + REPLAY_AGAIN_MS;
      await operator.replay();
    }
  }
  return `not settled after ${SETTLE_WITHIN_MS / 1_000} s: ${meter.open} calls, ${JSON.stringify(left)}`;
}
