import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { JobRunner } from '../../infrastructure/queues/job-runner';
import { Activity } from '../../infrastructure/sweeps/activity.service';
import { DISPATCH_QUEUE, type DispatchJob } from '../waves/dispatch.queue';
import { WaveDispatcher } from './wave-dispatcher.service';

const CONCURRENCY = 10;

@Processor(DISPATCH_QUEUE)
export class DispatchProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs: JobRunner;

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    private readonly dispatcher: WaveDispatcher,
    activity: Activity,
  ) {
    this.jobs = new JobRunner(queue, activity);
  }

  @Process({ concurrency: CONCURRENCY })
  async run({ data }: Job<DispatchJob>): Promise<void> {
    await Promise.all(
      data.map((queued) => {
        const { batch, wave, requestId } = queued;
        return this.jobs.run(`Wave ${wave} of batch ${batch}`, { requestId, smsBatchId: batch }, () =>
          this.dispatcher.dispatchQueued(queued),
        );
      }),
    );
  }

  onModuleDestroy(): void {
    void this.jobs.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.jobs.stop();
  }
}
