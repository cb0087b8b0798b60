import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { JobRunner } from '../common/redis/job-runner';
import { DISPATCH_QUEUE, type DispatchJob, DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';
import { failureLine } from '../common/failure-line';

const WAVES_AT_ONCE = 10;

/** Runs dispatch jobs. One that fails is not retried by Bull: what it left undone is found by the sweeper. */
@Processor(DISPATCH_QUEUE)
export class DispatchProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatchProcessor.name);

  private readonly jobs: JobRunner;

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    private readonly dispatch: DispatchService,
  ) {
    this.jobs = new JobRunner(queue);
  }

  @Process({ concurrency: WAVES_AT_ONCE })
  run({ data }: Job<DispatchJob>): Promise<void> {
    return this.jobs.run(this.dispatchWave(data));
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }

  private async dispatchWave(job: DispatchJob): Promise<void> {
    try {
      await this.dispatch.dispatchWave(DispatchQueue.waveOf(job));
    } catch (failure) {
      this.logger.error(
        `Wave ${job.wave} of batch ${job.batch} waits for the sweeper: ${failureLine(failure)}`,
      );
    }
  }
}
