import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { JobRunner } from '../common/redis/job-runner';
import { OUTBOX_QUEUE } from '../messages/outbox.queue';
import { RelayService } from './relay.service';

/** Runs the relay when events are raised. */
@Processor(OUTBOX_QUEUE)
export class RelayProcessor implements BeforeApplicationShutdown {
  private readonly jobs: JobRunner;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    private readonly relay: RelayService,
  ) {
    this.jobs = new JobRunner(queue);
  }

  @Process()
  run(): Promise<void> {
    return this.jobs.run('What was raised', this.relay.relay());
  }

  /** Finishes what is in hand while the database is still connected. */
  beforeApplicationShutdown(): Promise<void> {
    this.relay.stop();
    return this.jobs.stop();
  }
}
