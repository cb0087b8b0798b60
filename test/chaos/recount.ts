import { setTimeout as sleep } from 'node:timers/promises';
import { driftOf } from './checker';
import type { Counted } from './counters';
import type { Installation } from './installation';
import type { ChaosScreen } from './screen';

/** Longer than a scheduler takes to begin, to look at everything twice, and to mend it, on a busy machine. */
const RECOUNT_WITHIN_MS = 150_000;
const CHECK_INTERVAL_MS = 2_000;

/**
 * Has what the kills left uncounted counted anew, as an operator would who does not wait for the service to do it by
 * itself. What is still wrong in the end shows in the evidence.
 * @returns how many counters were wrong before.
 */
export async function recount(
  installation: Installation,
  read: () => Promise<Counted>,
  screen: ChaosScreen,
): Promise<number> {
  let drift = driftOf(await read());
  const before = drift.length;
  if (before === 0) return 0;
  screen.say(`${before} counters have drifted: counting anew`);
  await installation.administer('upkeep', 'now');
  const asked = performance.now();
  while (drift.length > 0 && performance.now() - asked < RECOUNT_WITHIN_MS) {
    await sleep(CHECK_INTERVAL_MS);
    drift = driftOf(await read());
  }
  screen.say(
    `${before - drift.length} of them are right after ${Math.round((performance.now() - asked) / 1_000)} s`,
  );
  return before;
}
