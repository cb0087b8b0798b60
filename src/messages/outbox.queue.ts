import { Injectable, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { OptionalRedis } from '../common/redis/optional-redis';
import { QueueConnections } from '../common/redis/queue-connections';
import { WakeUpQueue } from '../common/redis/wake-up-queue';

export const OUTBOX_QUEUE = 'outbox';

/** However many events are raised, the relay is woken once in this time by each process. */
const REST_MS = 50;

/** Wakes the relay: events are waiting in outboxes. */
@Injectable()
export class OutboxQueue implements OnModuleInit, OnModuleDestroy {
  private readonly queue: WakeUpQueue<null>;
  private resting?: NodeJS.Timeout;
  private raisedMeanwhile = false;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    connections: QueueConnections,
    redis: OptionalRedis,
  ) {
    this.queue = new WakeUpQueue(queue, connections, redis);
  }

  async onModuleInit(): Promise<void> {
    await this.queue.connected();
  }

  onModuleDestroy(): void {
    clearTimeout(this.resting);
  }

  /** To be called once an event stands in the database. Nobody waits for it: a sweeper finds what it does not reach. */
  wake(): void {
    if (this.resting) {
      this.raisedMeanwhile = true;
      return;
    }
    this.resting = setTimeout(() => {
      this.resting = undefined;
      if (!this.raisedMeanwhile) return;
      this.raisedMeanwhile = false;
      this.wake();
    }, REST_MS);
    // Each wake-up is a job of its own: one that were swallowed by a relay which just ends would be lost.
    void this.queue.wake([{ id: new Types.ObjectId().toHexString(), data: null, delayMs: 0 }]);
  }
}
