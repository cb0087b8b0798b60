import { Logger } from '@nestjs/common';
import { formatError } from '../../common/format-error';

/** Runs a scheduled job without overlap in this process. A failure is logged; the next run retries it. */
export class NonOverlappingJob {
  private readonly logger: Logger;
  private running?: Promise<void>;
  private queued?: Promise<void>;

  constructor(name: string) {
    this.logger = new Logger(name);
  }

  /**
   * Runs the job. Calls while it runs share one more run after it.
   * @returns when a run that began after the call has ended. Never rejects.
   */
  run(work: () => Promise<void>): Promise<void> {
    if (!this.running) return this.start(work);
    this.queued ??= this.running.then(() => this.start(work));
    return this.queued;
  }

  private start(work: () => Promise<void>): Promise<void> {
    this.queued = undefined;
    const run = this.attempt(work).then(() => {
      if (!this.queued) this.running = undefined;
    });
    this.running = run;
    return run;
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (failure) {
      this.logger.error(`Job failed; the next run retries it: ${formatError(failure)}`);
    }
  }
}
