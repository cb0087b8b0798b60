import type { Queue } from 'bull';
import { closeQueue } from './close-queue';
import { withinLimit } from './within-limit';

/**
 * The jobs a process has in hand. A shutdown waits for them, and for nothing else: Bull itself, asked to close while Redis
 * is away, fails at once or waits for Redis to come back, and either way forgets what is in hand.
 */
export class JobsInHand {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly queue: Queue) {}

  /** Does the work of a job. */
  async run(work: () => Promise<void>): Promise<void> {
    const running = work();
    this.running.add(running);
    try {
      await running;
    } finally {
      this.running.delete(running);
    }
  }

  /** Takes no more jobs. @returns false when Redis did not answer to it. */
  async takeNoMore(): Promise<boolean> {
    if (this.queue.client.status !== 'ready') return false;
    return (await withinLimit(this.queue.pause(true, true).then(() => true))) ?? false;
  }

  /** Takes no more jobs, finishes those in hand and lets go of Redis. */
  async finish(): Promise<void> {
    const hasRedis = await this.takeNoMore();
    while (this.running.size > 0) await Promise.allSettled(this.running);
    // Time to note in Redis that they have ended: a job that lingers would swallow the next with its id.
    if (hasRedis && this.queue.client.status === 'ready')
      await withinLimit(this.queue.whenCurrentJobsFinished());
    await closeQueue(this.queue);
  }
}
