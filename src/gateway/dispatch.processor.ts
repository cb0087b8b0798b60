import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { DISPATCH_QUEUE, type DispatchJob, DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';
import { failureLine } from '../common/failure-line';

const WAVES_AT_ONCE = 10;

/** Runs dispatch jobs. One that fails is not retried by Bull: what it left undone is found by the sweeper. */
@Processor(DISPATCH_QUEUE)
export class DispatchProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatchProcessor.name);

  constructor(
    @InjectQueue(DISPATCH_QUEUE) private readonly queue: Queue<DispatchJob>,
    private readonly dispatch: DispatchService,
  ) {}

  @Process({ concurrency: WAVES_AT_ONCE })
  async run(job: Job<DispatchJob>): Promise<void> {
    try {
      await this.dispatch.dispatchWave(DispatchQueue.waveOf(job.data));
    } catch (failure) {
      this.logger.error(
        `Wave ${job.data.wave} of batch ${job.data.batch} waits for the sweeper: ${failureLine(failure)}`,
      );
    }
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}
