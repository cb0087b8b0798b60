import { Injectable, OnModuleInit } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { OptionalRedis } from '../common/redis/optional-redis';
import { QueueConnections } from '../common/redis/queue-connections';
import { WakeUpQueue } from '../common/redis/wake-up-queue';

export const DELIVERY_QUEUE = 'webhook-delivery';

/**
 * Ids only: what is due is read from the database when the job runs. No request is its cause, because wake-ups share
 * runs: which one raised an event stands in the delivery.
 */
export interface DeliveryJob {
  readonly subscription: string;
}

/** Wakes the delivery workers for subscriptions that have, or will have, something due. */
@Injectable()
export class DeliveryQueue implements OnModuleInit {
  private readonly queue: WakeUpQueue<DeliveryJob>;

  constructor(
    @InjectQueue(DELIVERY_QUEUE) queue: Queue<DeliveryJob>,
    connections: QueueConnections,
    redis: OptionalRedis,
    private readonly clock: Clock,
  ) {
    this.queue = new WakeUpQueue(queue, connections, redis);
  }

  async onModuleInit(): Promise<void> {
    await this.queue.connected();
  }

  /** Wakes for deliveries that are due now. @returns false when Redis did not take it; a sweeper finds them. */
  wake(subscriptions: readonly Types.ObjectId[]): Promise<boolean> {
    return this.queue.wake(
      subscriptions.map((subscription) => ({
        // A job of its own each time: one swallowed by a job that just ends would be lost.
        id: `${subscription.toHexString()}-${new Types.ObjectId().toHexString()}`,
        data: { subscription: subscription.toHexString() },
        delayMs: 0,
      })),
    );
  }

  /** Wakes for deliveries that will be due; all that are due in one second are one job. */
  wakeAt(subscription: Types.ObjectId, times: readonly Date[]): Promise<boolean> {
    const now = this.clock.now().getTime();
    const seconds = new Set(times.map((time) => Math.ceil(time.getTime() / 1_000)));
    return this.queue.wake(
      [...seconds].map((second) => ({
        id: `${subscription.toHexString()}-at-${second}`,
        data: { subscription: subscription.toHexString() },
        delayMs: second * 1_000 - now,
      })),
    );
  }
}
