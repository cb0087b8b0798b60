import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { withinLimit } from '../common/redis/within-limit';
import { DISPATCH_QUEUE } from '../gateway/dispatch.queue';
import { OUTBOX_QUEUE } from '../messages/outbox.queue';
import { DELIVERY_QUEUE } from '../webhooks/delivery.queue';

export interface QueueFigures {
  readonly queue: string;
  readonly jobs: { readonly waiting: number; readonly active: number; readonly delayed: number };
  /** How long the first in line has been waiting for a worker. */
  readonly oldestMs: number;
}

/** The queues of the service, and how they are. */
@Injectable()
export class QueueFiguresService {
  readonly queues: readonly Queue[];

  constructor(
    @InjectQueue(DISPATCH_QUEUE) dispatch: Queue,
    @InjectQueue(OUTBOX_QUEUE) outbox: Queue,
    @InjectQueue(DELIVERY_QUEUE) delivery: Queue,
  ) {
    this.queues = [dispatch, outbox, delivery];
  }

  /** Whether Redis can be asked about the queues: Bull itself would wait until it can. */
  get areReachable(): boolean {
    return this.queues.every(({ client }) => client.status === 'ready');
  }

  /** @returns undefined when Redis is away, or does not answer within a second. */
  async read(): Promise<QueueFigures[] | undefined> {
    if (!this.areReachable) return undefined;
    return withinLimit(Promise.all(this.queues.map(figuresOf)));
  }

  /** How long the first in line has been waiting, by queue. @returns undefined when Redis is away. */
  async readOldest(): Promise<Pick<QueueFigures, 'queue' | 'oldestMs'>[] | undefined> {
    if (!this.areReachable) return undefined;
    return withinLimit(
      Promise.all(
        this.queues.map(async (queue) => ({ queue: queue.name, oldestMs: await oldestWaiting(queue) })),
      ),
    );
  }
}

async function figuresOf(queue: Queue): Promise<QueueFigures> {
  const [{ waiting, active, delayed }, oldestMs] = await Promise.all([
    queue.getJobCounts(),
    oldestWaiting(queue),
  ]);
  return { queue: queue.name, jobs: { waiting, active, delayed }, oldestMs };
}

/** By the system's clock, which is the one Bull goes by. */
async function oldestWaiting(queue: Queue): Promise<number> {
  // It can be taken between being listed and being read.
  const [first] = (await queue.getJobs(['waiting'], 0, 0, true)) as (Job | null)[];
  return first ? Math.max(0, Date.now() - first.timestamp - (first.opts.delay ?? 0)) : 0;
}
