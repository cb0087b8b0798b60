import { residentMegabytes } from '../load/process-view';
import type { ServiceProcess } from '../chaos/service-process';

const SAMPLE_EVERY_MS = 100;

/** Watches the memory of a process. */
export class MemoryWatch {
  private most = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly process: ServiceProcess) {
    this.sample();
    this.timer = setInterval(() => {
      this.sample();
    }, SAMPLE_EVERY_MS);
  }

  /** The most so far, in MB. */
  get mostMegabytes(): number {
    return this.most;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      this.most = Math.max(this.most, residentMegabytes(pid));
    } catch {
      // It has ended; that is found out elsewhere.
    }
  }
}
