import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { JobRunner } from '../common/redis/job-runner';
import { OUTBOX_QUEUE } from '../messages/outbox.queue';
import { RelayService } from './relay.service';

/** Wake-ups in hand at once. They share runs of the relay, so many cost little more than one. */
const WAKE_UPS_AT_ONCE = 50;

/** Runs the relay when events are raised. What a failed run left is found by the sweeper. */
@Processor(OUTBOX_QUEUE)
export class RelayProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RelayProcessor.name);

  private readonly jobs: JobRunner;
  private running?: Promise<void>;
  private following?: Promise<void>;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    private readonly relay: RelayService,
  ) {
    this.jobs = new JobRunner(queue);
  }

  @Process({ concurrency: WAKE_UPS_AT_ONCE })
  run(): Promise<void> {
    return this.jobs.run(this.relayShared());
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    this.relay.stop();
    await this.jobs.stop();
  }

  /**
   * The run under way may have looked before the event of this wake-up stood in the database: all that come during it
   * share the one after it. A run for each would fall behind the wake-ups, and they would pile up in Redis.
   */
  private relayShared(): Promise<void> {
    if (!this.running) {
      this.running = this.relayWaiting().finally(() => (this.running = undefined));
      return this.running;
    }
    const follow = (): Promise<void> => {
      this.following = undefined;
      return this.relayShared();
    };
    this.following ??= this.running.then(follow, follow);
    return this.following;
  }

  private async relayWaiting(): Promise<void> {
    try {
      await this.relay.relay();
    } catch (failure) {
      this.logger.error(`Events wait for the sweeper: ${String(failure)}`);
    }
  }
}
