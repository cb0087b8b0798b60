import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { formatError } from '../../common/format-error';
import { type LogIds, withLogIds } from '../logging/log-ids';
import type { Activity } from '../sweeps/activity.service';
import { tryWithTimeout } from '../../common/try-with-timeout';

/**
 * Runs the jobs of a processor. A failed job is logged and not retried by Bull: a scheduler finds its work. Tracks the active
 * jobs in memory, because Bull would ask Redis, which can be unavailable when the process stops.
 */
export class JobRunner {
  private readonly logger: Logger;
  private readonly active = new Set<Promise<void>>();
  private stopping?: Promise<void>;

  constructor(
    private readonly queue: Queue,
    private readonly activity: Pick<Activity, 'record'>,
  ) {
    this.logger = new Logger(`Queue ${queue.name}`);
  }

  /** @param subject names the work in the log, such as `Wave 1`. */
  async run(subject: string, ids: LogIds, work: () => Promise<void>): Promise<void> {
    this.activity.record();
    const job = withLogIds(ids, () => this.runAndLog(subject, work));
    this.active.add(job);
    await job;
    this.active.delete(job);
  }

  /**
   * Accepts no more jobs and waits for the active ones. Repeated calls share one stop: a processor starts it in
   * `onModuleDestroy`, so that all queues drain at the same time, and waits for it before the database disconnects.
   */
  stop(): Promise<void> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  private async runAndLog(subject: string, work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    try {
      await work();
      this.logger.debug(`${subject}: done in ${Math.round(performance.now() - started)} ms`);
    } catch (failure) {
      this.logger.error(`${subject} failed; the scheduler retries it: ${formatError(failure)}`);
    }
  }

  private async drain(): Promise<void> {
    // Without Redis, Bull would only reconnect. It must not wait for the jobs: if Redis is lost meanwhile, that wait ends the
    // process.
    if (this.queue.client.status === 'ready') await tryWithTimeout(this.queue.pause(true, true));
    await Promise.all(this.active);
  }
}
