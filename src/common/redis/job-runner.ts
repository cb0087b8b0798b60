import type { Queue } from 'bull';
import { withinLimit } from './within-limit';

/**
 * Runs the jobs a processor is given, and knows which are in hand: Bull knows it too, but asks Redis, which may be away
 * when the process stops.
 */
export class JobRunner {
  private readonly inHand = new Set<Promise<void>>();

  constructor(private readonly queue: Queue) {}

  async run(job: Promise<void>): Promise<void> {
    this.inHand.add(job);
    try {
      await job;
    } finally {
      this.inHand.delete(job);
    }
  }

  /** Takes no more jobs, and finishes those in hand. Call it while the database is still connected. */
  async stop(): Promise<void> {
    // Without waiting for the jobs: Bull's own wait ends the process when Redis goes away during it.
    await withinLimit(this.queue.pause(true, true));
    await Promise.allSettled(this.inHand);
  }
}
