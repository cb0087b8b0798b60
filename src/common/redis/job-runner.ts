import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { failureLine } from '../failure-line';
import { type LogIds, withLogIds } from '../log-ids';
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

  /**
   * @param subject what waits when the job fails, such as `Wave 1`.
   * @param ids what it is about, for the log.
   */
  async run(subject: string, ids: LogIds, work: () => Promise<void>): Promise<void> {
    const logged = withLogIds(ids, () => this.logged(subject, work));
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

  private async logged(subject: string, work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    try {
      await work();
      this.logger.debug(`${subject}: done in ${Math.round(performance.now() - started)} ms`);
    } catch (failure) {
      this.logger.error(`${subject} waits for the sweeper: ${failureLine(failure)}`);
    }
  }

  private async drain(): Promise<void> {
    // Without Redis no job comes, and Bull would only begin to connect anew. Nor is it asked to wait for the jobs: its
    // own wait ends the process when Redis goes away during it.
    if (this.queue.client.status === 'ready') await withinLimit(this.queue.pause(true, true));
    await Promise.all(this.inHand);
  }
}
