import { Logger } from '@nestjs/common';
import { failureLine } from './failure-line';

/**
 * Work that is repeated on a timer: never two runs at once in one process, and a failure is logged and made good by
 * the next run.
 */
export class Sweep {
  private readonly logger: Logger;
  private running = false;

  constructor(name: string) {
    this.logger = new Logger(name);
  }

  /** Runs the work, unless it is still running. Never throws. */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      await work();
    } catch (failure) {
      this.logger.error(`Failed, and is repeated shortly: ${failureLine(failure)}`);
    } finally {
      this.running = false;
    }
  }
}
