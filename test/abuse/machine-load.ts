import { setTimeout as sleep } from 'node:timers/promises';
import { machineSeconds } from '../load/process-stats';
import { median } from './loopback-client';

/** Without an attack, the service, its database and the reads of the other tenant use less than this, unless the machine is slow. */
const BUSY_SHARE = 0.3;

const QUIET_SHARE = 0.2;
const QUIET_MS = 300;
const MAX_QUIET_WAIT_MS = 15_000;

/** Detects whether a machine is too slow or too busy with other processes for its times to mean much. */
export class MachineLoad {
  private readonly busyShares: number[] = [];

  /** Measures the load of the machine during work that needs little CPU. */
  async measureDuring<Result>(run: () => Promise<Result>): Promise<Result> {
    const before = machineSeconds();
    const result = await run();
    const after = machineSeconds();
    this.busyShares.push((after.busy - before.busy) / Math.max(after.all - before.all, 0.001));
    return result;
  }

  get isBusy(): boolean {
    return median(this.busyShares) > BUSY_SHARE;
  }

  /** A note for the table; empty on an idle machine. */
  get note(): string {
    return this.isBusy ? ` (machine load without it: ${(median(this.busyShares) * 100).toFixed(0)} %)` : '';
  }
}

/** Waits until the work that earlier attacks have left behind is done, such as in the database. */
export async function quietMachine(): Promise<void> {
  const deadline = Date.now() + MAX_QUIET_WAIT_MS;
  while (Date.now() < deadline) {
    const before = machineSeconds();
    await sleep(QUIET_MS);
    const after = machineSeconds();
    if (after.busy - before.busy < QUIET_SHARE * (after.all - before.all)) return;
  }
}
