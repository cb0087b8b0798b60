import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { Types } from 'mongoose';
import { JobRunner } from '../common/redis/job-runner';
import { DELIVERY_QUEUE, type DeliveryJob } from './delivery.queue';
import { DeliveryRunners } from './delivery-runners.service';

const WAKE_UPS_AT_ONCE = 20;

/** Runs the wake-ups of deliveries, first attempts and retries alike; the deliveries themselves take their own time. */
@Processor(DELIVERY_QUEUE)
export class DeliveryProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs: JobRunner;

  constructor(
    @InjectQueue(DELIVERY_QUEUE) queue: Queue<DeliveryJob>,
    private readonly runners: DeliveryRunners,
  ) {
    this.jobs = new JobRunner(queue);
  }

  @Process({ concurrency: WAKE_UPS_AT_ONCE })
  run({ data: { subscription } }: Job<DeliveryJob>): Promise<void> {
    return this.jobs.run(`Webhook ${subscription}`, { webhookSubscriptionId: subscription }, () =>
      this.runners.wake(new Types.ObjectId(subscription)),
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
