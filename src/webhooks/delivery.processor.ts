import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { Types } from 'mongoose';
import { JobsInHand } from '../common/redis/jobs-in-hand';
import { DELIVERY_QUEUE, type DeliveryJob } from './delivery.queue';
import { DeliveryRunners } from './delivery-runners.service';

const WAKE_UPS_AT_ONCE = 20;

/** Runs the wake-ups of deliveries, first attempts and retries alike; the deliveries themselves take their own time. */
@Processor(DELIVERY_QUEUE)
export class DeliveryProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryProcessor.name);

  private readonly jobs: JobsInHand;

  constructor(
    @InjectQueue(DELIVERY_QUEUE) queue: Queue<DeliveryJob>,
    private readonly runners: DeliveryRunners,
  ) {
    this.jobs = new JobsInHand(queue);
  }

  @Process({ concurrency: WAKE_UPS_AT_ONCE })
  run(job: Job<DeliveryJob>): Promise<void> {
    return this.jobs.run(() => this.wake(job));
  }

  /** Finishes what is in hand while the database is still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.takeNoMore();
    await this.runners.stop();
    await this.jobs.finish();
  }

  private async wake({ data }: Job<DeliveryJob>): Promise<void> {
    try {
      await this.runners.wake(new Types.ObjectId(data.subscription));
    } catch (failure) {
      this.logger.error(
        `Deliveries of webhook ${data.subscription} wait for the sweeper: ${String(failure)}`,
      );
    }
  }
}
