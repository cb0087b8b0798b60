import { Logger } from '@nestjs/common';
import { formatError } from './format-error';

/** Runs a scheduled job without overlap in this process. A failure is logged; the next run retries it. */
export class NonOverlappingJob {
  private readonly logger: Logger;
  private isRunning = false;

  constructor(name: string) {
    this.logger = new Logger(name);
  }

  /** Does nothing while the previous run is running. Never throws. */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      await work();
    } catch (failure) {
      this.logger.error(`Job failed; the next run retries it: ${formatError(failure)}`);
    } finally {
      this.isRunning = false;
    }
  }
}
