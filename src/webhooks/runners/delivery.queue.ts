import { Injectable } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { QueueConnections } from '../../infrastructure/queues/queue-connections';
import { JobQueue } from '../../infrastructure/queues/job-queue';

export const DELIVERY_QUEUE = 'webhook-delivery';

/**
 * Holds only an id: the job reads what is due from the database. Jobs are shared by events, so the request id is
 * stored in the delivery.
 */
export interface DeliveryJob {
  readonly subscription: string;
}

/** Enqueues jobs for subscriptions that have deliveries to attempt. */
@Injectable()
export class DeliveryQueue extends JobQueue<DeliveryJob> {
  constructor(
    @InjectQueue(DELIVERY_QUEUE) queue: Queue<DeliveryJob>,
    connections: QueueConnections,
    redis: RedisCircuitBreaker,
    private readonly clock: Clock,
  ) {
    super(queue, connections, redis);
  }

  /**
   * Enqueues subscriptions with deliveries that are due now. @returns false when Redis did not accept the jobs; the
   * scheduler finds the deliveries later.
   */
  enqueue(subscriptions: readonly Types.ObjectId[]): Promise<boolean> {
    return this.addJobs(
      subscriptions.map((subscription) => ({
        // Unique ids, because Bull drops a job whose id belongs to a job that is just finishing.
        id: `${subscription.toHexString()}-${new Types.ObjectId().toHexString()}`,
        data: { subscription: subscription.toHexString() },
        delayMs: 0,
      })),
    );
  }

  /** Enqueues a subscription again after a delay. */
  enqueueLater(subscription: Types.ObjectId, delayMs: number): Promise<boolean> {
    return this.enqueueAt(subscription, [new Date(this.clock.now().getTime() + delayMs)]);
  }

  /** Enqueues delayed jobs for deliveries of a subscription, one job per second. */
  enqueueAt(subscription: Types.ObjectId, times: readonly Date[]): Promise<boolean> {
    const now = this.clock.now().getTime();
    const seconds = new Set(times.map((time) => Math.ceil(time.getTime() / 1_000)));
    return this.addJobs(
      [...seconds].map((second) => ({
        id: `${subscription.toHexString()}-at-${second}`,
        data: { subscription: subscription.toHexString() },
        delayMs: second * 1_000 - now,
      })),
    );
  }
}
