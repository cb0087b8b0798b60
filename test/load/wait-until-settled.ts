import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseView, Unsettled } from '../chaos/database-view';
import type { PhoneFleet } from './phone-fleet';
import type { Meter } from './meter';
import type { ReplayClient } from './replay-client';

const REPLAY_INTERVAL_MS = 20_000;
const SETTLE_TIMEOUT_MS = 240_000;
const CHECK_INTERVAL_MS = 1_000;

/**
 * Waits until all messages, events and deliveries are settled.
 * @returns a description of what is not settled in time; undefined if everything is.
 */
export async function waitUntilSettled(
  view: DatabaseView,
  { fleet, meter, replayClient }: { fleet: PhoneFleet; meter: Meter; replayClient: ReplayClient },
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  let replayAt = Date.now();
  let calmChecks = 0;
  let unsettled: Unsettled | undefined;
  while (Date.now() < deadline) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal });
    unsettled = await view.countUnsettled(fleet.devices);
    const isCalm =
      meter.open === 0 && (await fleet.isIdle()) && Object.values(unsettled).every((count) => count === 0);
    calmChecks = isCalm ? calmChecks + 1 : 0;
    if (calmChecks === 2) return undefined;
    // Deliveries that failed after the last replay need another one.
    const late = await view.findLateDeliveries(new Date(Date.now() + REPLAY_INTERVAL_MS));
    if (late.length > 0 && Date.now() >= replayAt) {
      replayAt = Date.now() + REPLAY_INTERVAL_MS;
      await replayClient.replay();
    }
  }
  return `not settled after ${SETTLE_TIMEOUT_MS / 1_000} s: ${meter.open} calls, ${JSON.stringify(unsettled)}`;
}
