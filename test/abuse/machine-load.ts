import { machineSeconds } from '../load/process-view';
import { median } from './loopback-client';

/** Without an attack the service and its database leave most of the machine idle. */
const MAX_OWN_SHARE = 0.6;

/** Finds out whether something else is at work on this machine: then times say little about the service. */
export class MachineLoad {
  private readonly shares: number[] = [];

  /** Measures while something runs that needs little of the machine. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    const before = machineSeconds();
    const result = await run();
    const after = machineSeconds();
    this.shares.push((after.busy - before.busy) / Math.max(after.all - before.all, 0.001));
    return result;
  }

  get isBusy(): boolean {
    return median(this.shares) > MAX_OWN_SHARE;
  }

  /** For the table; empty when nothing else is at work. */
  get note(): string {
    return this.isBusy
      ? ` (the machine was ${(median(this.shares) * 100).toFixed(0)} % busy without it)`
      : '';
  }
}
