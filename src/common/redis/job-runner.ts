import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { failureLine } from '../failure-line';
import { withinLimit } from './within-limit';

/**
 * Runs the jobs a processor is given. One that fails is logged and not retried by Bull: what it left undone is found by
 * a sweeper. It knows which jobs are in hand: Bull knows it too, but asks Redis, which may be away when the process
 * stops.
 */
export class JobRunner {
  private readonly logger: Logger;
  private readonly inHand = new Set<Promise<void>>();
  private stopping?: Promise<void>;

  constructor(private readonly queue: Queue) {
    this.logger = new Logger(`Queue ${queue.name}`);
  }

  /** @param subject what waits when the job fails, such as `Wave 1 of batch 2`. */
  async run(subject: string, job: Promise<void>): Promise<void> {
    const logged = job.catch((failure: unknown) => {
      this.logger.error(`${subject} waits for the sweeper: ${failureLine(failure)}`);
    });
    this.inHand.add(logged);
    await logged;
    this.inHand.delete(logged);
  }

  /**
   * Takes no more jobs, and finishes those in hand; again it is the same stop. A processor begins it when its module is
   * destroyed, so that all of them drain at the same time, and waits for it before the shutdown, while the database is
   * still connected.
   */
  stop(): Promise<void> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  private async drain(): Promise<void> {
    // Without Redis no job comes, and Bull would only begin to connect anew. Nor is it asked to wait for the jobs: its
    // own wait ends the process when Redis goes away during it.
    if (this.queue.client.status === 'ready') await withinLimit(this.queue.pause(true, true));
    await Promise.all(this.inHand);
  }
}
