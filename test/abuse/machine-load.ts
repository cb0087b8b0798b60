import { machineSeconds } from '../load/process-stats';
import { median } from './loopback-client';

/** Without an attack, the service and its database use less than this. */
const BUSY_SHARE = 0.6;

/** Detects whether other processes use the machine, which makes times less meaningful. */
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
