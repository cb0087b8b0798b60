import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { tryWithTimeout } from '../common/try-with-timeout';
import { DISPATCH_QUEUE } from '../gateway/waves/dispatch.queue';
import { OUTBOX_QUEUE } from '../messages/outbox/outbox.queue';
import { DELIVERY_QUEUE } from '../webhooks/runners/delivery.queue';

export interface QueueStats {
  readonly queue: string;
  readonly jobs: { readonly waiting: number; readonly active: number; readonly delayed: number };
  /** Wait of the oldest job. */
  readonly oldestMs: number;
}

@Injectable()
export class QueueStatsService {
  readonly queues: readonly Queue[];

  constructor(
    @InjectQueue(DISPATCH_QUEUE) dispatch: Queue,
    @InjectQueue(OUTBOX_QUEUE) outbox: Queue,
    @InjectQueue(DELIVERY_QUEUE) delivery: Queue,
  ) {
    this.queues = [dispatch, outbox, delivery];
  }

  /** Check it before a call to Bull, which would wait for a connection. */
  get areReachable(): boolean {
    return this.queues.every(({ client }) => client.status === 'ready');
  }

  /** @returns undefined when Redis is unavailable. */
  async read(): Promise<QueueStats[] | undefined> {
    if (!this.areReachable) return undefined;
    return tryWithTimeout(Promise.all(this.queues.map(statsOf)));
  }

  /** The wait of the oldest job, by queue. @returns undefined when Redis is unavailable. */
  async readOldest(): Promise<Pick<QueueStats, 'queue' | 'oldestMs'>[] | undefined> {
    if (!this.areReachable) return undefined;
    return tryWithTimeout(
      Promise.all(
        this.queues.map(async (queue) => ({ queue: queue.name, oldestMs: await oldestWaiting(queue) })),
      ),
    );
  }
}

async function statsOf(queue: Queue): Promise<QueueStats> {
  const [{ waiting, active, delayed }, oldestMs] = await Promise.all([
    queue.getJobCounts(),
    oldestWaiting(queue),
  ]);
  return { queue: queue.name, jobs: { waiting, active, delayed }, oldestMs };
}

/** By the system clock, which Bull uses for its timestamps. */
async function oldestWaiting(queue: Queue): Promise<number> {
  // A worker can take the job between Bull's two reads; it is null then.
  const [first] = (await queue.getJobs(['waiting'], 0, 0, true)) as (Job | null)[];
  return first ? Math.max(0, Date.now() - first.timestamp - (first.opts.delay ?? 0)) : 0;
}
