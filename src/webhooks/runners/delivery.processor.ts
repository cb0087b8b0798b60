import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { Types } from 'mongoose';
import { JobRunner } from '../../infrastructure/queues/job-runner';
import { Activity } from '../../infrastructure/sweeps/activity.service';
import { DELIVERY_QUEUE, type DeliveryJob } from './delivery.queue';
import { DeliveryRunnerPool } from './delivery-runner-pool.service';

const CONCURRENCY = 20;

/** Starts delivery runners for jobs. A job is done once its runner has started, not when the deliveries are. */
@Processor(DELIVERY_QUEUE)
export class DeliveryProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs: JobRunner;

  constructor(
    @InjectQueue(DELIVERY_QUEUE) queue: Queue<DeliveryJob>,
    private readonly runners: DeliveryRunnerPool,
    activity: Activity,
  ) {
    this.jobs = new JobRunner(queue, activity);
  }

  @Process({ concurrency: CONCURRENCY })
  run({ data: { subscription } }: Job<DeliveryJob>): Promise<void> {
    return this.jobs.run(
      `Webhook subscription ${subscription}`,
      { webhookSubscriptionId: subscription },
      () => this.runners.ensureRunning(new Types.ObjectId(subscription)),
    );
  }

  onModuleDestroy(): void {
    void this.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private async stop(): Promise<void> {
    await this.jobs.stop();
    await this.runners.stop();
  }
}
