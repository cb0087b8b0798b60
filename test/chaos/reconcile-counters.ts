import { setTimeout as sleep } from 'node:timers/promises';
import { findDrift } from './checker';
import type { CounterState } from './counters';
import type { Installation } from './installation';
import type { ProgressLog } from './progress-log';

/** Enough for a scheduler to start and to reconcile everything on a busy machine. */
const RECONCILE_TIMEOUT_MS = 150_000;
const CHECK_INTERVAL_MS = 2_000;

/**
 * Starts the reconciliation of counters with `upkeep now`, and waits until they are right or a timeout expires.
 * @returns the number of counters that were wrong before.
 */
export async function reconcileCounters(
  installation: Installation,
  readState: () => Promise<CounterState>,
  progress: ProgressLog,
): Promise<number> {
  let drift = findDrift(await readState());
  const driftedBefore = drift.length;
  if (driftedBefore === 0) return 0;
  progress.log(`${driftedBefore} counters are wrong, reconciling`);
  await installation.runAdminCommand('upkeep', 'now');
  const requestedAt = performance.now();
  while (drift.length > 0 && performance.now() - requestedAt < RECONCILE_TIMEOUT_MS) {
    await sleep(CHECK_INTERVAL_MS);
    drift = findDrift(await readState());
  }
  progress.log(
    `${driftedBefore - drift.length} of them are correct after ${Math.round((performance.now() - requestedAt) / 1_000)} s`,
  );
  return driftedBefore;
}
