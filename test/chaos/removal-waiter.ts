import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseView } from './database-view';
import type { ProgressLog } from './progress-log';

/** A minute for each of some kills of the scheduler that holds the lease. */
const REMOVAL_TIMEOUT_MS = 600_000;
const CHECK_INTERVAL_MS = 2_000;

/**
 * Waits until retention has removed the settled messages.
 * @param call calls the service, which rests while nobody does.
 * @returns how many it has removed.
 */
export async function waitForRemoval(
  view: DatabaseView,
  call: () => Promise<unknown>,
  progress: ProgressLog,
  onError: (error: string) => void,
): Promise<number> {
  progress.log('Waiting until retention has removed the settled messages');
  const deadline = Date.now() + REMOVAL_TIMEOUT_MS;
  let left = await view.countRemovable();
  while (left > 0 && Date.now() < deadline) {
    await sleep(CHECK_INTERVAL_MS);
    // Its process may be about to be started again.
    await call().catch(() => undefined);
    left = await view.countRemovable();
  }
  const removed = view.removedCount;
  if (left > 0) onError(`retention has left ${left} messages, and removed ${removed}`);
  progress.log(`Retention has removed ${removed} messages`);
  return removed;
}
