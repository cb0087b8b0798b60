import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { QueueConnections } from '../../infrastructure/queues/queue-connections';
import { JobQueue } from '../../infrastructure/queues/job-queue';

export const OUTBOX_QUEUE = 'outbox';

/** Each process enqueues at most one job per interval, so that events share the commands of their relay. The first has no delay. */
const NOTIFY_INTERVAL_MS = 200;

/** Notifies the relay that outboxes contain events. */
@Injectable()
export class OutboxQueue extends JobQueue<null> implements OnModuleDestroy {
  private throttleTimer?: NodeJS.Timeout;
  private notifyAgain = false;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    connections: QueueConnections,
    redis: RedisCircuitBreaker,
  ) {
    super(queue, connections, redis);
  }

  onModuleDestroy(): void {
    clearTimeout(this.throttleTimer);
  }

  /**
   * Enqueues a relay job, at most one per interval. Call after an event is stored. Best effort: a scheduler finds events
   * whose job is lost.
   */
  notify(): void {
    if (this.throttleTimer) {
      this.notifyAgain = true;
      return;
    }
    this.throttleTimer = setTimeout(() => {
      this.throttleTimer = undefined;
      if (!this.notifyAgain) return;
      this.notifyAgain = false;
      this.notify();
    }, NOTIFY_INTERVAL_MS);
    void this.enqueue();
  }

  /** Enqueues a relay job. @returns false when Redis did not accept it. */
  enqueue(): Promise<boolean> {
    // A unique job id: Bull drops a job whose id is that of a job just finishing.
    return this.addJobs([{ id: new Types.ObjectId().toHexString(), data: null, delayMs: 0 }]);
  }
}
