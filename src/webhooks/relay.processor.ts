import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { JobsInHand } from '../common/redis/jobs-in-hand';
import { OUTBOX_QUEUE } from '../messages/outbox.queue';
import { RelayService } from './relay.service';

/** Runs the relay when events are raised. What a failed run left is found by the sweeper. */
@Processor(OUTBOX_QUEUE)
export class RelayProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RelayProcessor.name);

  private readonly jobs: JobsInHand;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    private readonly relay: RelayService,
  ) {
    this.jobs = new JobsInHand(queue);
  }

  @Process()
  run(): Promise<void> {
    return this.jobs.run(() => this.relayAll());
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    this.relay.stop();
    await this.jobs.finish();
  }

  private async relayAll(): Promise<void> {
    try {
      await this.relay.relay();
    } catch (failure) {
      this.logger.error(`Events wait for the sweeper: ${String(failure)}`);
    }
  }
}
