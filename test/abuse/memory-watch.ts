import { residentMegabytes } from '../load/process-stats';
import type { ServiceProcess } from '../chaos/service-process';

const SAMPLE_EVERY_MS = 100;

/** Samples the resident memory of a process. */
export class MemoryWatch {
  private max = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly process: ServiceProcess) {
    this.sample();
    this.timer = setInterval(() => {
      this.sample();
    }, SAMPLE_EVERY_MS);
  }

  /** The maximum so far, in MB. */
  get maxMegabytes(): number {
    return this.max;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      this.max = Math.max(this.max, residentMegabytes(pid));
    } catch {
      // The process has exited, which the installation reports.
    }
  }
}
