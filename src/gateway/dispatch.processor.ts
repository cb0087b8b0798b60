import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { JobsInHand } from '../common/redis/jobs-in-hand';
import { DISPATCH_QUEUE, type DispatchJob, DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';

const WAVES_AT_ONCE = 10;

/** Runs dispatch jobs. One that fails is not retried by Bull: what it left undone is found by the sweeper. */
@Processor(DISPATCH_QUEUE)
export class DispatchProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatchProcessor.name);

  private readonly jobs: JobsInHand;

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    private readonly dispatch: DispatchService,
  ) {
    this.jobs = new JobsInHand(queue);
  }

  @Process({ concurrency: WAVES_AT_ONCE })
  run(job: Job<DispatchJob>): Promise<void> {
    return this.jobs.run(() => this.dispatchWave(job));
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.finish();
  }

  private async dispatchWave(job: Job<DispatchJob>): Promise<void> {
    try {
      await this.dispatch.dispatchWave(DispatchQueue.waveOf(job.data));
    } catch (failure) {
      this.logger.error(
        `Wave ${job.data.wave} of batch ${job.data.batch} waits for the sweeper: ${String(failure)}`,
      );
    }
  }
}
